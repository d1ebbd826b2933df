import { Failure } from "@lango/chassis";
import { defineJob, defineRecoveryScan, defineSchedule } from "@lango/jobs";
import { fetchSettlements } from "../settling/fetch-settlements.ts";
import type { Treasury } from "../treasury.ts";
import { askForBalances } from "./ask-balances.ts";
import { compareDisputes } from "./cards/compare-disputes.ts";
import { compareRefunds } from "./cards/compare-refunds.ts";
import { compareTransactions } from "./cards/compare-transactions.ts";
import { compareTransfers } from "./cards/compare-transfers.ts";
import { compareBalances } from "./compare-balances.ts";
import { compareExpectations } from "./compare-expectations.ts";
import { endRun, failRun, findRun, listOverdueRuns } from "./run.store.ts";
import { type Run, type RunKind, runKinds } from "./run.ts";
import { startRun } from "./start-run.ts";

type Work = (domain: Treasury, run: Run) => Promise<number>;

const withCards =
	(work: typeof fetchSettlements): Work =>
	async (domain, run) =>
		work(domain, await domain.gateways.requireCardGateway(), run);

/** Does several works, one after the other. The first failure is thrown at the end. */
const doAll =
	(...all: ReadonlyArray<typeof fetchSettlements>): typeof fetchSettlements =>
	async (...parts) => {
		const failures: unknown[] = [];
		let found = 0;
		for (const work of all)
			found += await work(...parts).catch((failure: unknown) => {
				failures.push(failure);
				return 0;
			});
		if (failures.length > 0) throw failures[0];
		return found;
	};

const works: Readonly<Record<RunKind, Work>> = {
	settlements: withCards(fetchSettlements),
	// Charges first: what was returned of one that is not counted cannot be applied.
	transactions: withCards(doAll(compareTransactions, compareRefunds, compareDisputes)),
	balances: async (domain, run) => {
		const asked = await askForBalances(domain);
		const cards = await domain.gateways.findCardGateway();
		if (cards === undefined) return asked;
		// First: what came back is in the transfer balance, and was not topped up.
		await compareTransfers(domain, cards, run);
		return asked + (await compareBalances(domain, cards));
	},
	expectations: (domain) => compareExpectations(domain),
};

/** The runs that ask the card gateway alone. */
const ofCards: ReadonlySet<RunKind> = new Set(["settlements", "transactions"]);

/** Compares what gateways have with what the treasury has recorded. */
export const runReconciliation = defineJob<Treasury>({
	name: "reconciliation.run",
	timeoutSeconds: 3_600,
	atOnce: 1,
	work: async (domain, { id }) => {
		const run = await findRun(domain.db, id);
		if (run === undefined || run.state === "done") return;
		try {
			const found = await works[run.kind](domain, run);
			await endRun(domain.db, { id, found, at: domain.now() });
		} catch (error) {
			await failRun(domain.db, { id, failure: failureOf(error), at: domain.now() });
			throw error;
		}
	},
});

/** The code of a failure. What the gateway answered may be private: it is only in the log. */
const failureOf = (error: unknown): string => (error instanceof Failure ? error.code : "internal");

const overdueMs = 3_600_000;

/** Finds runs whose job was lost. */
export const recoverRuns = defineRecoveryScan<Treasury>({
	job: runReconciliation,
	everySeconds: 600,
	find: ({ db }, { now, after, limit }) =>
		listOverdueRuns(db, { before: new Date(now.getTime() - overdueMs), after, limit }),
});

const dayMs = 86_400_000;

/** Every day: compares the last three days. */
export const reconcileDaily = defineSchedule<Treasury>({
	name: "reconciliation.plan",
	everySeconds: 86_400,
	work: async (domain, { now }) => {
		const hasCards = (await domain.gateways.findCardGateway()) !== undefined;
		const to = now();
		const from = new Date(to.getTime() - 3 * dayMs);
		for (const kind of runKinds.filter((one) => hasCards || !ofCards.has(one)))
			await startRun(domain, { kind, from, to }, undefined);
	},
});
