import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { changeProfile } from "../src/gateways/profiles/profile.store.ts";
import { cardDefaults } from "../src/gateways/profiles/profile.ts";
import { openSettling, stating } from "./settling.ts";
import { bringForward } from "./till.ts";
import { waitForQuiet } from "./wait-for-quiet.ts";

const till = setUp(async () => {
	const opened = await openSettling();
	return { ...opened, ...stating(opened) };
});

/** Every charge so far is settled, and nothing is left to decide. */
afterEach(async () => {
	await till.settleNow();
	// What failed is not tried again in the middle of a later test.
	await bringForward(till.database.db, 60);
	await waitForQuiet(till, 2);
	await till.database.db.query(
		"update exceptions set state = 'closed', resolution = 'waived', because = '-', resolved_by = '-', resolved_at = now() where state = 'open'",
	);
});

const fee = 3_500n;
/** A charge that is counted, and its receipt. */
async function chargeCounted() {
	const intentId = await till.charge();
	return till.receiptOf(intentId).then((receipt) => ({ ...receipt, intentId }));
}
const isSettled = async ({ intentId }: { intentId: string }) => (await till.receiptOf(intentId)).is_settled;
const open = (query: string) => till.exceptions(`${query}&state=open`);

test("a charge that both the comparison and its settlement miss has one exception, and is counted with a receipt in suspense", async () => {
	await till.payElsewhere();
	const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
	await till.asOperator("POST", "reconciliation/runs", { body: { kind: "transactions", ...range } });
	await till.service.jobs.runDue();
	expect(await open("class=missing_here")).toHaveLength(1);
	await till.settleNow();
	await till.asOperator("POST", "reconciliation/runs", { body: { kind: "transactions", ...range } });
	await till.service.jobs.runDue();
	await till.database.db.query(
		"update settlements set next_check_at = now() - interval '1 hour' where state = 'paid'",
	);
	await till.recover();
	const [raised, ...others] = await open("class=missing_here");
	expect(others).toEqual([]);
	await till.decide("missing_here", "posted");
	const url = `/api/v1/lango/treasury/receipts?state=unallocated&tenantId=${till.tenants.lango.id}`;
	const { body } = await till.call({
		...{ method: "GET", url, token: till.token(till.tenants.lango, "superuser") },
	});
	const theirs = raised?.["theirs"] as { transaction: string };
	expect(body["items"]).toMatchObject([{ receipt: theirs.transaction, amount_minor: 50_000 }]);
	const { body: settlements } = await till.asOperator("GET", "settlements?state=paid");
	expect(settlements["items"]).toEqual([]);
	await till.agree();
});

test("a charge that cannot be settled does not keep those after it from being settled", async () => {
	const [bad, good] = [await chargeCounted(), await chargeCounted()];
	const id = await till.state({
		effective: 196_501n,
		lines: [
			{ transaction: bad.receipt, fee: -1n },
			{ transaction: good.receipt, fee },
		],
	});
	expect([await isSettled(bad), await isSettled(good), await till.stateOf(id)]).toEqual([
		false,
		true,
		"paid",
	]);
});

test("a waiver by one operator releases nothing: what is pending stays so, until the charge is late and two operators decide", async () => {
	const charge = await chargeCounted();
	const before = await till.available();
	const id = await till.state({
		effective: 86_500n,
		lines: [{ transaction: charge.receipt, amount: 90_000n, fee }],
	});
	expect(await till.stateOf(id)).toBe("paid");
	await till.decide("amount", "waived");
	expect(await till.stateOf(id)).toBe("matched");
	expect([await isSettled(charge), await till.available()]).toEqual([false, before]);
	await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query("update receipts set occurred_at = now() - interval '6 days' where id = $1", [charge.id]),
	);
	const range = { from: new Date(Date.now() - 86_400_000), to: new Date() };
	await till.asOperator("POST", "reconciliation/runs", { body: { kind: "expectations", ...range } });
	await till.service.jobs.runDue();
	await till.decide("late", "posted");
	expect([await isSettled(charge), (await till.available())["pending"]]).toEqual([
		...[true, (before["pending"] ?? 0) - 100_000],
	]);
});

test("receipts explain a charge that is missing only if they come to its amount; then they are settled", async () => {
	const [one, other] = [await chargeCounted(), await chargeCounted()];
	const id = await till.state({ effective: 96_500n, lines: [{ transaction: "unknown-1", fee }] });
	const differ = { status: 409, body: { code: "receipts_differ" } };
	expect(await till.decide("missing_here", "matched")).toMatchObject(differ);
	expect(await till.decide("missing_here", "matched", [one.id, other.id])).toMatchObject(differ);
	expect(await till.decide("missing_here", "matched", [crypto.randomUUID()])).toMatchObject({
		...{ status: 404, body: { code: "receipt_not_found" } },
	});
	expect([await isSettled(one), await till.stateOf(id)]).toEqual([false, "paid"]);
	expect(await till.decide("missing_here", "matched", [one.id])).toMatchObject({ status: 200 });
	expect([await isSettled(one), await isSettled(other), await till.stateOf(id)]).toEqual([
		true,
		false,
		"matched",
	]);
	await till.state({ effective: 96_500n, lines: [{ transaction: "unknown-2", fee }] });
	expect(await till.decide("missing_here", "matched", [one.id])).toMatchObject(differ);
	await till.decide("missing_here", "matched", [other.id]);
	expect(await isSettled(other)).toBe(true);
});

test("receipts explain what a settlement paid out beyond its charges, and are settled by it", async () => {
	const charge = await chargeCounted();
	const id = await till.state({ effective: 96_500n, deductions: 0n, lines: [] });
	expect(await open("class=amount")).toMatchObject([{ amount_minor: 96_500 }]);
	await till.decide("amount", "matched", [charge.id]);
	expect([await isSettled(charge), await till.stateOf(id)]).toEqual([true, "matched"]);
});

test("what a settlement pays too little is posted as variance within the tolerance of the profile, and an exception beyond", async () => {
	const change = { settings: { variance_tolerance_minor: 5 } };
	await changeProfile(till.database.db, "card_gateway", { change, now: new Date() });
	const [within, beyond] = [await chargeCounted(), await chargeCounted()];
	const before = (await till.platform())["recon_variance"] ?? 0;
	const lineOf = ({ receipt: transaction }: { receipt: string }) => [{ transaction, fee }];
	await till.state({ effective: 96_495n, deductions: 0n, lines: lineOf(within) });
	expect(await open("class=amount")).toEqual([]);
	expect((await till.platform())["recon_variance"]).toBe(before + 5);
	await till.state({ effective: 96_494n, deductions: 0n, lines: lineOf(beyond) });
	expect(await open("class=amount")).toMatchObject([{ amount_minor: -6 }]);
	await changeProfile(till.database.db, "card_gateway", {
		...{ change: { settings: { variance_tolerance_minor: 0 } }, now: new Date() },
	});
});

test("a charge in another currency is an exception, and is released once two operators have posted the difference", async () => {
	const charge = await chargeCounted();
	await till.state({
		effective: 0n,
		lines: [{ transaction: charge.receipt, amount: 800n, fee: 28n, currency: "USD" }],
	});
	expect(await open("class=currency")).toMatchObject([
		{
			proposed: {
				currency: "KES",
				lines: [{ code: "recon_variance", amount_minor: 96_500 }, { code: "card.unsettled" }],
			},
		},
	]);
	expect(await isSettled(charge)).toBe(false);
	await till.decide("currency", "posted");
	expect(await isSettled(charge)).toBe(true);
});

test("a charge that two settlements contain is settled once, and the second payment is proposed as a variance", async () => {
	const charge = await chargeCounted();
	const lines = [{ transaction: charge.receipt, fee }];
	await till.state({ effective: 96_500n, lines });
	const before = await till.available();
	const id = await till.state({ effective: 96_500n, lines });
	expect(await open("class=duplicate")).toMatchObject([
		{
			proposed: {
				lines: [{ code: "recon_variance", side: "credit", amount_minor: 96_500 }, { code: "card.unsettled" }],
			},
		},
	]);
	await till.decide("duplicate", "posted");
	expect([await till.stateOf(id), await till.available()]).toEqual(["matched", before]);
});

test("fees that the gateway does not state for charges are compared with those of the settlement", async () => {
	const charge = await chargeCounted();
	await till.state({
		effective: 96_000n,
		fees: 4_000n,
		deductions: 0n,
		lines: [{ transaction: charge.receipt }],
	});
	expect(await open("class=amount")).toEqual([]);
	expect(await open("class=fee")).toMatchObject([
		{
			amount_minor: 500,
			proposed: { lines: [{ code: "gateway_fee.other", amount_minor: 500 }, { code: "card.unsettled" }] },
		},
	]);
	await till.decide("fee", "posted");
	expect(await isSettled(charge)).toBe(true);
});

test("a deduction that no refund explains is an exception, until an operator decides about it", async () => {
	const charge = await chargeCounted();
	const id = await till.state({ effective: 86_500n, lines: [{ transaction: charge.receipt, fee }] });
	expect(await open("class=amount")).toMatchObject([
		{ subject: `deductions of settlement ${id}`, amount_minor: 10_000, proposed: null },
	]);
	expect([await isSettled(charge), await till.stateOf(id)]).toEqual([true, "paid"]);
	await till.decide("amount", "waived");
	await till.database.db.query(
		"update settlements set next_check_at = now() - interval '1 hour' where state = 'paid'",
	);
	await till.recover();
	expect(await till.stateOf(id)).toBe("matched");
});

test("without the charges of a settlement those that come to it are proposed, and settled once the operator confirms them", async () => {
	const capabilities = { ...cardDefaults.capabilities, settlement_lines: false };
	const change = { settings: { capabilities } };
	await changeProfile(till.database.db, "card_gateway", { change, now: new Date() });
	const [first, second, third] = [await chargeCounted(), await chargeCounted(), await chargeCounted()];
	const before = await till.available();
	const unfitting = await till.state({ effective: 96_501n, deductions: 0n });
	expect(await open("class=amount")).toMatchObject([
		{ subject: `charges of settlement ${unfitting}`, proposed: null },
	]);
	await till.decide("amount", "waived");
	const id = await till.state({ effective: 193_000n });
	expect(await open("class=missing_there")).toMatchObject([
		{ ours: { charges: 2 }, theirs: { amount_minor: 193_000 } },
	]);
	expect([await till.stateOf(id), await till.available()]).toEqual(["paid", before]);
	await till.decide("missing_there", "matched");
	expect([await isSettled(first), await isSettled(second), await isSettled(third)]).toEqual([
		true,
		true,
		false,
	]);
	expect(await till.stateOf(id)).toBe("matched");
	expect(await till.available()).toMatchObject({
		...{ pending: Number(before["pending"]) - 200_000, available: Number(before["available"]) + 200_000 },
	});
	const rejected = await till.state({ effective: 96_500n });
	await till.decide("missing_there", "waived");
	expect([await isSettled(third), await till.stateOf(rejected)]).toEqual([false, "matched"]);
});
