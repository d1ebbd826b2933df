import { defineJob, defineRecoveryScan, defineSchedule } from "@lango/jobs";
import { findOldestUnsettled, listDueSettlements } from "../settlements/settlement.store.ts";
import type { Treasury } from "../treasury.ts";
import { fetchSettlements, type Range } from "./fetch-settlements.ts";
import { settleSettlement } from "./settle-settlement.ts";

const dayMs = 86_400_000;

/** Every hour: fetches the settlements of the card gateway. */
export const fetchSettlementsOften = defineSchedule<Treasury>({
	name: "settlements.fetch",
	everySeconds: 3_600,
	timeoutSeconds: 600,
	work: async (domain, { now }) => {
		const gateway = await domain.gateways.findCardGateway();
		if (gateway !== undefined) await fetchSettlements(domain, gateway, await openRange(domain, now()));
	},
});

/** Three days back, and to the oldest charge that is not settled; a year at most. */
async function openRange({ db }: Treasury, now: Date): Promise<Range> {
	const oldest = (await findOldestUnsettled(db))?.getTime() ?? now.getTime();
	const from = Math.max(Math.min(now.getTime() - 3 * dayMs, oldest - dayMs), now.getTime() - 400 * dayMs);
	return { from: new Date(from), to: new Date(now.getTime() + dayMs) };
}

/** Settles the receipts of a settlement that was paid out. */
export const settleSettlements = defineJob<Treasury>({
	name: "settlements.settle",
	timeoutSeconds: 600,
	atOnce: 1,
	work: (domain, { id }) => settleSettlement(domain, id),
});

const overdueMs = 60_000;

/** Finds settlements whose job was lost, and those of which a line is not matched. */
export const recoverSettlements = defineRecoveryScan<Treasury>({
	job: settleSettlements,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listDueSettlements(db, { before: new Date(now.getTime() - overdueMs), after, limit }),
});
