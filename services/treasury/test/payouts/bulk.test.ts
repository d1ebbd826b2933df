import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import { listBatch } from "../../src/payouts/payout.store.ts";
import { makeAvailable, openPaying, people } from "./paying.ts";

const till = setUp(openPaying);
const rail = "card_gateway";
let recipient_id: string;
let before: Record<string, number>;

beforeEach(async () => {
	recipient_id ??= await till.addRecipient();
	await makeAvailable(till.database.db, till.tenants.uhai.id, { amountMinor: 200_000n });
	before = await till.balances(till.tenants.uhai);
});

const item = (amount_minor = 1_000) => ({ rail, recipient_id, amount_minor });
const request = (items: object[], more: { dry_run?: boolean; key?: string } = {}) => {
	const { key, ...options } = more;
	return till.ask("POST", "/payouts/bulk", { body: { items, ...options }, ...(key && { key }) });
};
const changed = async (code: string) =>
	((await till.balances(till.tenants.uhai))[code] ?? 0) - (before[code] ?? 0);
const payoutsOf = (batchId: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) => listBatch(tx, batchId));

test("a bulk request is accepted as a whole, and each payout waits for an approval, also a small one", async () => {
	const items = [item(1_000), item(2_000), item(3_000)];
	const made = await request(items, { key: "wages" });
	expect(made).toMatchObject({
		status: 202,
		body: {
			batch_id: expect.any(String),
			items: [1_000, 2_000, 3_000].map((gross_minor) => ({ gross_minor, status: "awaiting_approval" })),
		},
	});
	expect(await changed("tenant.available")).toBe(-6_000);
	const again = await request(items, { key: "wages" });
	expect(again).toMatchObject({ status: 200, body: { batch_id: made.body["batch_id"] } });
	expect(await request([item(1_001)], { key: "wages" })).toMatchObject({
		...{ status: 409, body: { code: "idempotency_key_reused" } },
	});
	expect(await changed("tenant.available")).toBe(-6_000);
	const listed = await till.ask("GET", `/payouts?batch_id=${made.body["batch_id"]}&total=true`);
	expect(listed.body["items"]).toHaveLength(3);
	expect(listed.body["total"]).toBe(3);
});

test("a check stores nothing and says what would be made", async () => {
	const checked = await request([item(), item()], { dry_run: true, key: "checked" });
	expect(checked).toMatchObject({
		status: 200,
		body: { batch_id: null, items: [{ status: "awaiting_approval", net_minor: 1_000 }, {}] },
	});
	expect(await changed("tenant.available")).toBe(0);
	expect((await request([item()], { key: "checked" })).status).toBe(202);
});

const phone = { rail: "mobile_money", kind: "customer", to: "0712345678", remarks: "Wages" };

test.each<[title: string, wrong: () => object, answer: object]>([
	["without an amount", () => ({ rail, recipient_id }), { code: "amount_missing", field: "amount_minor" }],
	["with a member of the other rail", () => ({ ...item(), kind: "customer" }), { field: "kind" }],
	[
		"to an unknown recipient",
		() => ({ ...item(), recipient_id: crypto.randomUUID() }),
		{ code: "recipient_missing" },
	],
	["of a part of a shilling", () => ({ ...phone, amount_minor: 150 }), { code: "amount_not_whole" }],
	["of nothing", () => item(0), { code: "invalid_input", field: "amount_minor" }],
	["of more than there is", () => item(900_000_000), { code: "balance_insufficient" }],
])("one payout %s refuses the whole request, and its number is said", async (_, wrong, answer) => {
	const { status, body } = await request([item(), wrong()]);
	expect([400, 409]).toContain(status);
	expect(body).toMatchObject({ ...answer, item: 1 });
	expect(await changed("tenant.available")).toBe(0);
});

test("the sum of the payouts has to be available, and at most 500 are asked for at once", async () => {
	const rest = before["tenant.available"] ?? 0;
	expect(await request([item(rest - 1), item(1), item(1)])).toMatchObject({
		...{ status: 409, body: { code: "balance_insufficient", item: 2 } },
	});
	expect((await request(Array.from({ length: 501 }, () => item(1)))).status).toBe(400);
	expect((await request([])).status).toBe(400);
	expect(await changed("tenant.available")).toBe(0);
});

test("500 payouts with long remarks are one request, and are approved by one", async () => {
	const items = Array.from({ length: 500 }, () => ({
		...phone,
		amount_minor: 1_000,
		remarks: "w".repeat(100),
	}));
	const made = await request(items);
	expect(made.body["items"]).toHaveLength(500);
	const batchId = String(made.body["batch_id"]);
	expect((await approve(batchId)).status).toBe(200);
	expect(await countBy(batchId)).toEqual({ approved: 500 });
	// They are not sent here.
	await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			"update payouts set status = 'cancelled', next_check_at = null, ended_at = now() where batch_id = $1",
			[batchId],
		),
	);
}, 120_000);

const approve = (batchId: string, by: "maker" | "checker" = "checker") =>
	till.ask("POST", `/payouts/bulk/${batchId}/approve`, { by });

test("another person approves all payouts of a bulk request at once, but those that were rejected, and none again", async () => {
	const made = await request([item(), item(), item()]);
	const [first] = made.body["items"] as Array<{ id: string }>;
	const batchId = String(made.body["batch_id"]);
	await till.ask("POST", `/payouts/${first?.id}/reject`, { by: "checker", body: { because: "Twice" } });
	expect(await approve(batchId, "maker")).toMatchObject({ body: { code: "approver_is_creator" } });
	const [rejected, approved] = [
		{ status: "rejected", version: 2 },
		{ status: "approved", version: 2 },
	];
	const approvals = [{ decision: "approved", by: people.checker }];
	expect(await approve(batchId)).toMatchObject({
		...{ status: 200, body: { items: [rejected, { ...approved, approvals }, { ...approved, approvals }] } },
	});
	expect(await approve(batchId)).toMatchObject({ status: 409, body: { code: "payout_not_waiting" } });
	expect(await approve(crypto.randomUUID())).toMatchObject({
		...{ status: 404, body: { code: "payout_batch_not_found" } },
	});
	const changes = await till.published("treasury.payout.changed", till.tenants.uhai);
	const ids = (made.body["items"] as Array<{ id: string }>).map(({ id }) => id);
	expect(changes.filter((one) => ids.includes(String(one["payout_id"])))).toHaveLength(6);
	expect(await changed("tenant.available")).toBe(-2_000);
});

/** Makes a bulk request of small payouts, and approves all of them. Returns its id. */
async function approveAll(count: number): Promise<string> {
	const made = await request(Array.from({ length: count }, () => item(100)));
	const batchId = String(made.body["batch_id"]);
	expect((await approve(batchId)).status).toBe(200);
	return batchId;
}
const countBy = async (batchId: string) => {
	const counts: Record<string, number> = {};
	for (const { status } of await payoutsOf(batchId)) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
};

test("transfers are sent 100 at a time, five seconds apart", async () => {
	// First what earlier tests have left approved: a tenant has one transfer at a time.
	await till.service.jobs.runDue();
	await till.wait(5);
	const batchId = await approveAll(102);
	// The clock does not move.
	till.clock.now = new Date();
	await till.service.jobs.runDue();
	expect((await countBy(batchId))["approved"]).toBe(2);
	await till.wait(5);
	expect((await countBy(batchId))["approved"]).toBeUndefined();
}, 120_000);

test("what the gateway leaves out of a batch without a word is unknown, and is sent once more with its reference: each moves once", async () => {
	await till.cards("PUT", "/_control/faults", [
		{ operation: "bulk_transfer", fault: "partial_bulk", count: 1 },
	]);
	const batchId = await approveAll(4);
	await till.service.jobs.runDue();
	expect(await countBy(batchId)).toEqual({ in_flight: 2, unknown: 2 });
	await till.wait(601);
	for (const _ of "ladder") await till.wait(120);
	expect((await countBy(batchId))["unknown"]).toBeUndefined();
	for (const { reference } of await payoutsOf(batchId)) expect(await till.moved(reference)).toEqual([-100]);
}, 120_000);
