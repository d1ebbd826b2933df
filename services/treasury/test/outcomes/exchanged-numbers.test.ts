import { createHash } from "node:crypto";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findViolations } from "../ledger/invariants.ts";
import { callbackOf, confirmationOf, openCounter, type Prompt, paidByQuery } from "./counter.ts";
import { findBroken, stateOf } from "./state.ts";

const counter = setUp(openCounter);
const amountMinor = 50_000n;

type Two = readonly [first: Prompt, second: Prompt];
/** The gateway hashes the phone: the confirmation of a till fits each prompt of its amount. */
const confirm = (prompt: Prompt) => {
	const phone = createHash("sha256").update(String(prompt.attempt.phone)).digest("hex");
	return counter.deliver(confirmationOf(prompt, { account: "", phone }));
};
const ask = (prompt: Prompt) => counter.say(prompt, "query", paidByQuery);
const call = (prompt: Prompt) => counter.deliver(callbackOf(prompt, 0));

async function promptTwo(): Promise<{ tenantId: string; two: Two }> {
	const tenantId = await counter.tenant();
	const prompt = async () => counter.prompt(await counter.open(tenantId, { payee: "tenant", amountMinor }));
	return { tenantId, two: [await prompt(), await prompt()] };
}

test.each<[string, (two: Two) => ReadonlyArray<() => Promise<void>>]>([
	["the callback, and the confirmation of the other", ([a, b]) => [() => call(b), () => confirm(a)]],
	["the confirmation of the other, and the callback", ([a, b]) => [() => confirm(a), () => call(b)]],
	["the callback of the other, and its own", ([a, b]) => [() => call(a), () => call(b), () => confirm(a)]],
	["a query, and both callbacks", ([a, b]) => [() => ask(b), () => call(a), () => call(b), () => confirm(a)]],
	[
		"the confirmation of the other, a query, and both callbacks",
		([a, b]) => [() => confirm(a), () => ask(b), () => call(a), () => call(b)],
	],
	[
		"the confirmation of the other, a query, and both callbacks the other way round",
		([a, b]) => [() => confirm(a), () => ask(b), () => call(b), () => call(a)],
	],
])(
	"of two prompts of one amount at a till, of which a query takes the confirmation of the other, both are paid by their own receipts after %s (I6, I7)",
	async (_what, rest) => {
		const { tenantId, two } = await promptTwo();
		const [first, second] = two;
		await confirm(second);
		await ask(first);
		for (const say of rest(two)) await say();
		// Everything again: nothing changes.
		for (const prompt of two) for (const say of [call, confirm, ask]) await say(prompt);
		expect(await stateOf(counter, tenantId)).toMatchObject({
			intents: two.map(() => ({ status: "succeeded", received: 50_000 })),
			attempts: two.map(() => ({ status: "succeeded" })),
			receipts: two
				.map(({ receipt }) => receipt)
				.toSorted()
				.map((receipt) => ({ receipt, amount: 50_000, allocated: 50_000 })),
			payments: [50_000, 50_000],
			balances: { "mm.float.own": 100_000, "tenant.mobile": 100_000 },
		});
		expect(await counter.db.query("select subject from exceptions where class = 'duplicate'")).toEqual([]);
		expect(await findBroken(counter, tenantId)).toEqual([]);
		expect(await findViolations(counter)).toEqual([]);
	},
);

test("a number that the callback of a prompt has said stays with it: the same number of another prompt is an exception", async () => {
	const { tenantId, two } = await promptTwo();
	const [first, second] = two;
	await call(first);
	await call({ ...second, receipt: first.receipt });
	const raised = await counter.db.query("select class, theirs from exceptions where subject = $1", [
		second.attempt.reference,
	]);
	expect(raised).toMatchObject([{ class: "duplicate", theirs: { receipt: first.receipt } }]);
	expect(await stateOf(counter, tenantId)).toMatchObject({
		receipts: [{ receipt: first.receipt, allocated: 50_000 }],
		payments: [50_000],
	});
	expect(await findBroken(counter, tenantId)).toEqual([]);
});
