import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { openSettling } from "./settling.ts";

const till = setUp(openSettling);
afterEach(async () => {
	await till.cards("PUT", "/_control/faults", []);
});

test("a charge is pending until a settlement contains it, then it is available, once", async () => {
	const intentId = await till.charge();
	expect(await till.available()).toEqual({ pending: 100_000, available: 0, fees_due: 3_500 });
	await till.settleNow();
	const settled = { pending: 0, available: 100_000, fees_due: 3_500 };
	expect(await till.available()).toEqual(settled);
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_500, is_settled: true });
	await till.fetchNow();
	await till.recover();
	expect(await till.available()).toEqual(settled);
	await till.agree();
});

test("a charge whose event was lost is counted when its settlement comes", async () => {
	const before = await till.available();
	const intentId = await till.charge({ isLost: true });
	await till.settleNow();
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_500, is_settled: true });
	expect(await till.available()).toMatchObject({ available: Number(before.available) + 100_000 });
	await till.agree();
});

test("money for the platform is settled, and nothing of it becomes available to the tenant", async () => {
	const before = await till.available();
	const intentId = await till.charge({ payee: "platform" });
	await till.settleNow();
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_500, is_settled: true });
	expect(await till.available()).toEqual(before);
	await till.agree();
});

test("a fee that differs from what the event said is corrected, and the operator has to explain it", async () => {
	const before = await till.available();
	const intentId = await till.charge();
	await till.cards("PUT", "/_control/faults", [
		{ operation: "settle", fault: "settlement_fee_error", count: 1 },
	]);
	await till.settleNow();
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_600, is_settled: true });
	expect(await till.available()).toMatchObject({ fees_due: Number(before.fees_due) + 3_600 });
	const [raised] = await till.exceptions("class=fee");
	expect(raised).toMatchObject({
		...{ amount_minor: 100_000, currency: "KES" },
		...{ ours: { fee_minor: 3_500 }, theirs: { fee_minor: 3_600 } },
	});
	await till.agree();
});

test("a settlement that is not paid out yet settles nothing", async () => {
	await till.charge();
	const before = await till.available();
	await till.wait(86_400 - (Date.now() % 86_400_000) / 1000 + 3_700);
	await till.fetchNow();
	expect(await settlements()).toContainEqual({ state: "announced" });
	expect(await till.available()).toEqual(before);
	await till.wait(7 * 3_600);
	await till.fetchNow();
	expect(await till.available()).toEqual({
		...{ pending: 0, available: Number(before.available) + 100_000, fees_due: before.fees_due },
	});
	await till.agree();
	await turnBack();
});

/** Tokens are valid for an hour. */
async function turnBack(): Promise<void> {
	till.clock.now = undefined;
	await till.cards("PUT", "/_control/clock", { now: null });
}

/** Moves the clock of the gateway alone. */
const setClock = (days: number) =>
	till.cards("PUT", "/_control/clock", { now: new Date(Date.now() + days * 86_400_000).toISOString() });

test("settlements are fetched with their lines from the oldest charge on that none contains, however long ago that was", async () => {
	const before = await till.available();
	await setClock(-40);
	const intentId = await till.charge();
	await till.cards("POST", "/_control/settle");
	await till.cards("PUT", "/_control/clock", { now: null });
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_500, is_settled: false });
	await till.fetchNow();
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_500, is_settled: true });
	expect(await till.available()).toMatchObject({ available: Number(before.available) + 100_000 });
	const lines = await till.database.db.query(
		`select n.state, s.settled_at < now() - interval '30 days' as is_old
		   from settlement_lines n join settlements s on s.id = n.settlement_id
		  where n.paid_at < now() - interval '30 days'`,
	);
	expect(lines).toEqual([{ state: "matched", is_old: true }]);
	await till.agree();
});

const settlements = () => till.database.db.query("select state from settlements");

test("a charge that the treasury does not know raises an exception, and the settlement stays open", async () => {
	await till.payElsewhere();
	await till.settleNow();
	const [raised] = await till.exceptions("class=missing_here");
	expect(raised).toMatchObject({
		...{ amount_minor: 50_000, ours: {} },
		theirs: { reference: expect.stringMatching(/^guest-/), amount_minor: 50_000, fee_minor: 2_750 },
	});
	expect(await settlements()).toContainEqual({ state: "paid" });
	await till.fetchNow();
	expect(await till.exceptions("class=missing_here")).toHaveLength(1);
});
