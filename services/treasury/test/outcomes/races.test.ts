import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findViolations } from "../ledger/invariants.ts";
import { type Counter, callbackOf, openCounter, type Prompt, paidByQuery } from "./counter.ts";
import { findBroken, stateOf } from "./state.ts";

const counter = setUp(openCounter);
const amountMinor = 120_000n;
const times = 100;
/** As many at once as the service has connections for. */
const together = 4;

type Statement = (to: Counter, prompt: Prompt) => Promise<void>;
const paidByCallback: Statement = (to, prompt) => to.deliver(callbackOf(prompt, 0));
const askedAndPaid: Statement = (to, prompt) => to.say(prompt, "query", paidByQuery);
const accepted: Statement = (to, prompt) => to.say(prompt, "answer", { kind: "accepted", ...prompt.ids });
const failedByCallback: Statement = (to, prompt) => to.deliver(callbackOf(prompt, 1037));
const expired: Statement = (to, prompt) => to.say(prompt, "query", { kind: "expired" });

test.each<[string, readonly Statement[]]>([
	["a callback and a query", [paidByCallback, askedAndPaid]],
	["a callback, its repetition and the answer to the call", [paidByCallback, paidByCallback, accepted]],
	["a success and a failure that was sent before it", [paidByCallback, failedByCallback]],
	["a success that is asked for and the end of the questions", [expired, askedAndPaid, paidByCallback]],
])(
	"%s at the same time, a hundred times, collect one payment",
	async (_what, statements) => {
		const run = async (from: number) => {
			const tenantId = await counter.tenant();
			const receipts: string[] = [];
			for (let turn = from; turn < times; turn += together)
				receipts.push(await race(tenantId, statements, turn));
			await expectCollected(tenantId, receipts);
		};
		await Promise.all(Array.from({ length: together }, (_, from) => run(from)));
		expect(await findViolations(counter)).toEqual([]);
	},
	120_000,
);

/**
 * Makes the statements about one prompt at the same time, each time in another order. Returns the
 * number of its receipt.
 */
async function race(tenantId: string, statements: readonly Statement[], turn: number): Promise<string> {
	const payee = turn % 8 < 4 ? "tenant" : "platform";
	const prompt = await counter.prompt(await counter.open(tenantId, { payee, amountMinor }));
	const first = turn % statements.length;
	await Promise.all(
		[...statements.slice(first), ...statements.slice(0, first)].map((say) => say(counter, prompt)),
	);
	return prompt.receipt;
}

async function expectCollected(tenantId: string, receipts: readonly string[]): Promise<void> {
	const amount = Number(amountMinor);
	const state = await stateOf(counter, tenantId);
	expect(state).toMatchObject({
		intents: receipts.map(() => ({ status: "succeeded", received: amount })),
		attempts: receipts.map(() => ({ status: "succeeded" })),
		receipts: receipts.toSorted().map((receipt) => ({ receipt, amount, allocated: amount })),
		payments: receipts.map(() => amount),
	});
	expect(await findBroken(counter, tenantId)).toEqual([]);
}
