import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../../src/outcomes/evidence/payout-evidence.ts";
import { addTrade } from "../receive.ts";
import { addPayout, say } from "./add-payout.ts";
import { makeAvailable, openPaying } from "./paying.ts";

const till = setUp(openPaying);
const id = () => till.tenants.uhai.id;
const sent: readonly PayoutSaid[] = [{ kind: "approved" }, { kind: "submitted" }];

const ask = (path: string, more: { method?: "POST"; body?: object } = {}) =>
	till.call({
		...{ method: "GET", url: `/api/v1/uhai/treasury/${path}`, token: till.token(till.tenants.uhai, "admin") },
		headers: { "idempotency-key": randomUUID() },
		...more,
	});
const itemsOf = async (path: string) =>
	(await ask(path)).body["items"] as Array<Record<string, unknown> & { id: string }>;
const receiptsOf = async (payoutId: string) =>
	(await itemsOf("receipts")).filter(({ payout_id }) => payout_id === payoutId);

test("a payout has a receipt with the number that its gateway gave it, once, and another one when it comes back", async () => {
	const { db } = till.database;
	await makeAvailable(db, id(), { amountMinor: 100_000n });
	const code = `TRF_${randomUUID()}`;
	const payout = await addPayout(db, id(), { said: [...sent, { kind: "in_flight", transferCode: code }] });
	expect(await receiptsOf(payout.id)).toEqual([]);
	for (const kind of ["paid", "paid", "reversed", "reversed"] as const) await say(db, payout, { kind });
	const receipt = { receipt: code, gateway: "card_gateway", channel: "bank_transfer", amount_minor: 100_000 };
	expect(await receiptsOf(payout.id)).toMatchObject([
		{ ...receipt, kind: "reversal", state: "allocated", unallocated_minor: 0, payments: [] },
		{ ...receipt, kind: "payout", refund_id: null },
	]);
	expect((await itemsOf("receipts?kind=reversal")).map(({ kind }) => kind)).toEqual(["reversal"]);
	const lines = await itemsOf("statement?account=reserved");
	expect(lines.filter(({ receipt: one }) => one === code)).toMatchObject([
		{ purpose: "payout_hold" },
		{ purpose: "payout_paid" },
	]);
});

test("a payout from a shortcode has its receipt as soon as its number is known; what failed, and what the operator decided, has none", async () => {
	const { db } = till.database;
	const add = (said: readonly PayoutSaid[]) => addPayout(db, id(), { shortcode: "600200", said });
	const [paid, failed] = [await add(sent), await add([...sent, { kind: "failed", code: "2040" }])];
	await inTenant(db, id(), (tx) =>
		applyOutcome(tx, {
			...{ tenantId: id(), payoutId: paid.id, source: "operator", sourceId: undefined, at: new Date() },
			payout: { kind: "paid" },
		}),
	);
	expect([await receiptsOf(paid.id), await receiptsOf(failed.id)]).toEqual([[], []]);
	const paidAt = new Date("2027-01-02T03:04:05Z");
	await say(db, paid, { kind: "paid", receipt: "SG632NMUAC", paidAt });
	expect(await receiptsOf(paid.id)).toMatchObject([
		{ kind: "payout", receipt: "SG632NMUAC", custody: "tenant", occurred_at: paidAt.toISOString() },
	]);
});

test("the receipt of a payout is not allocated, verified or returned", async () => {
	const { db } = till.database;
	const said = [...sent, { kind: "paid", receipt: "SG632NMUAD" }] as const;
	const payout = await addPayout(db, id(), { shortcode: "600200", said });
	const [receipt] = await receiptsOf(payout.id);
	const intent = await addTrade(db, id());
	const post = async (path: string, body: object) => {
		const answer = await ask(path, { method: "POST", body });
		return [answer.status, answer.body["code"]];
	};
	expect([
		await post(`receipts/${receipt?.id}/allocate`, { intent_id: intent.id }),
		await post(`receipts/${receipt?.id}/verify`, {}),
		await post("refunds", { receipt_id: receipt?.id, reason: "Twice" }),
		await post("reversals", { receipt: "SG632NMUAD", remarks: "Twice" }),
	]).toEqual([
		[409, "receipt_allocated"],
		[409, "receipt_verified"],
		[404, "receipt_not_found"],
		[404, "receipt_not_found"],
	]);
});
