import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { addBill } from "./add-bill.ts";
import { makeAvailable, openPaying } from "./payouts/paying.ts";
import { openCards } from "./refunding/card-payments.ts";
import { newPhone } from "./till.ts";

const till = setUp(openPaying);
const tenantId = () => till.tenants.uhai.id;

// The tokens of people are valid for an hour: each test begins at the real time.
afterEach(async () => {
	till.clock.now = undefined;
	for (const gateway of [till.sandbox, till.cards]) {
		await gateway("PUT", "/_control/faults", []);
		await gateway("PUT", "/_control/clock", { now: null });
	}
});

const [minute, hour] = [60, 3_600];

/**
 * Moves the clocks from question to question until no question is due. Returns after how many seconds
 * since it was sent each one was asked.
 */
async function climb(table: "attempts" | "refunds" | "payouts", id: string): Promise<number[]> {
	const rungs: number[] = [];
	for (;;) {
		const [row] = await inTenant(till.database.db, tenantId(), (tx) =>
			tx.query<{ next: Date | null; sent: Date }>(
				`select next_check_at as next, coalesce(submitted_at, created_at) as sent from ${table} where id = $1`,
				[id],
			),
		);
		if (row?.next == null) return rungs;
		const rung = Math.round((row.next.getTime() - row.sent.getTime()) / 1_000);
		if (rungs.at(-1) === rung) throw new Error(`the question after ${rung} s was not asked`);
		rungs.push(rung);
		// Delays of jobs are whole seconds.
		await till.wait((row.next.getTime() - (till.clock.now ?? new Date()).getTime()) / 1_000 + 1.5);
	}
}

const stateOf = async (table: string, id: string) => {
	const [row] = await inTenant(till.database.db, tenantId(), (tx) =>
		tx.query(
			`select to_jsonb(t)->>'status' as status, to_jsonb(t)->'needs_review' as needs_review from ${table} t where id = $1`,
			[id],
		),
	);
	return row;
};

test("a prompt is asked about after 20 s, 40 s, 70 s, 2 m, 5 m, 15 m, 1 h, 6 h and 24 h, and has expired then", async () => {
	await till.sandbox("PUT", "/_control/faults", [
		{ operation: "push", fault: "drop" },
		{ operation: "push_query", fault: "maintenance" },
	]);
	const { id } = await inTenant(till.database.db, tenantId(), (tx) =>
		addBill(tx, tenantId(), { payee: "tenant" }),
	);
	const asked = await till.ask("POST", `/intents/${id}/push`, { body: { phone: newPhone("is silent") } });
	const attempt = String(asked.body["attempt_id"]);
	expect(await climb("attempts", attempt)).toEqual([
		...[20, 40, 70, 2 * minute, 5 * minute, 15 * minute, hour, 6 * hour, 24 * hour],
	]);
	expect(await stateOf("attempts", attempt)).toMatchObject({ status: "expired" });
});

test("a checkout is asked about after 1 m, 5 m, 15 m, 1 h, 6 h and 24 h, and has expired then", async () => {
	const { id } = await inTenant(till.database.db, tenantId(), (tx) =>
		addBill(tx, tenantId(), { payee: "tenant" }),
	);
	const body = { email: "amina@example.com" };
	const attempt = String((await till.ask("POST", `/intents/${id}/checkout`, { body })).body["attempt_id"]);
	expect(await climb("attempts", attempt)).toEqual([
		...[minute, 5 * minute, 15 * minute, hour, 6 * hour, 24 * hour],
	]);
	expect(await stateOf("attempts", attempt)).toMatchObject({ status: "expired" });
});

const sixRungs = [30, 2 * minute, 10 * minute, hour, 6 * hour, 24 * hour];

test("a payout is asked about after 30 s, 2 m, 10 m, 1 h, 6 h and 24 h, and needs a review then: what it holds stays held", async () => {
	await makeAvailable(till.database.db, tenantId(), { amountMinor: 100_000n });
	const payout = await till.pay({ recipient_id: await till.addRecipient("0004"), amount_minor: 100_000 });
	expect(await climb("payouts", payout)).toEqual(sixRungs);
	expect(await stateOf("payouts", payout)).toEqual({ status: "in_flight", needs_review: true });
	expect(await till.balances(till.tenants.uhai)).toMatchObject({ "tenant.reserved": 100_000 });
});

test.each([
	["found out by a question", { operation: "transfer", fault: "reset_after_commit" }],
	["the answer to the sending", undefined],
])(
	"a transfer that waits for its one-time password needs a review after 25 m, if that was %s",
	async (_, lost) => {
		await makeAvailable(till.database.db, tenantId(), { amountMinor: 100_000n });
		await till.cards("PUT", "/_control/faults", [
			...[{ operation: "transfer", fault: "otp_required", count: 1 }],
			...(lost ? [{ ...lost, count: 1 }] : []),
		]);
		const payout = await till.pay({ recipient_id: await till.addRecipient(), amount_minor: 100_000 });
		expect(await stateOf("payouts", payout)).toMatchObject({ status: lost ? "unknown" : "needs_otp" });
		let since = 0;
		for (const rung of lost ? [30, 2 * minute, 10 * minute] : []) {
			await till.wait(rung - since + 2);
			since = rung;
			expect(await stateOf("payouts", payout)).toEqual({ status: "needs_otp", needs_review: false });
		}
		await till.wait(25 * minute - since + 2);
		expect(await stateOf("payouts", payout)).toEqual({ status: "needs_otp", needs_review: true });
	},
);

test("a refund is asked about after 30 s, 2 m, 10 m, 1 h, 6 h and 24 h, and needs a review then: what it holds stays held", async () => {
	const { paymentId } = await openCards(till).pay();
	await till.cards("PUT", "/_control/faults", [
		{ operation: "refund", fault: "drop" },
		{ operation: "list_refunds", fault: "maintenance" },
	]);
	const { body } = await openCards(till).refund({ payment_id: paymentId });
	await openCards(till).becomes(body["id"], "unknown");
	// Each rung is counted from the question before, which comes a moment later than planned.
	const rungs = await climb("refunds", String(body["id"]));
	expect(rungs.map((rung) => rung - (rung % 30))).toEqual(sixRungs);
	expect(await stateOf("refunds", String(body["id"]))).toMatchObject({ needs_review: true });
	expect(await till.balances(till.tenants.uhai)).toMatchObject({ "tenant.refunding": 100_000 });
});
