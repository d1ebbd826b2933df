import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test, vi } from "vitest";
import { findViolations } from "../ledger/invariants.ts";
import { makeAvailable, openPaying } from "./paying.ts";

const till = setUp(openPaying);
const rail = "card_gateway";
let recipient_id: string;
/** What was available before the test. */
let before: Record<string, number>;

beforeEach(async () => {
	recipient_id ??= await till.addRecipient();
	await makeAvailable(till.database.db, till.tenants.uhai.id, { amountMinor: 100_000n });
	before = await till.balances(till.tenants.uhai);
});

const request = (more: object = {}, by?: "checker") =>
	till.ask("POST", "/payouts", {
		body: { rail, recipient_id, amount_minor: 100_000, ...more },
		...(by && { by }),
	});
const refused = (status: number, code: string) => ({ status, body: { code } });
/** How an account of the tenant changed since the test began. */
async function changed(): Promise<Record<string, number>> {
	const now = await till.balances(till.tenants.uhai);
	const names = Object.keys(now).filter((name) => now[name] !== (before[name] ?? 0));
	return Object.fromEntries(names.map((name) => [name, (now[name] ?? 0) - (before[name] ?? 0)]));
}
/** While another payout of the tenant is being sent, it waits. */
const isSent = (id: string) =>
	vi.waitFor(async () => {
		await till.wait(5);
		expect(["in_flight", "paid"]).toContain((await till.payout(id))["status"]);
	}, 10_000);
const audited = (id: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			"select action, (detail->>'amount_minor')::int as amount from audit_log where subject = $1 order by id",
			[id],
		),
	);
const violations = () =>
	findViolations({ read: (text) => acrossTenants(till.database.db, (tx) => tx.query(text)) });

test("what is available is held, transferred, and booked when the gateway says that it was paid", async () => {
	await makeAvailable(till.database.db, till.tenants.uhai.id, { amountMinor: 0n, feesDueMinor: 3_500n });
	const asked = await till.ask("POST", "/payouts", { body: { rail, recipient_id } });
	const lines = [
		{ kind: "gross", amount_minor: 100_000 },
		{ kind: "collection_fee", amount_minor: -3_500 },
	];
	expect(asked).toMatchObject({ status: 202, body: { net_minor: 96_500, lines, status: "approved" } });
	const { id, reference } = asked.body as { id: string; reference: string };
	expect(await audited(id)).toEqual([{ action: "payout.requested", amount: 100_000 }]);
	expect(await changed()).toMatchObject({ "tenant.available": -100_000, "tenant.reserved": 96_500 });
	await till.service.jobs.runDue();
	expect(await till.payout(id)).toMatchObject({ status: "in_flight" });
	await till.wait(10);
	await till.receive(1);
	expect(await till.payout(id)).toMatchObject({ status: "paid", needs_review: false });
	expect(await till.moved(reference)).toEqual([-96_500]);
	expect(await till.balances(till.tenants.uhai)).toMatchObject({
		"tenant.reserved": 0,
		"tenant.fees_due": 0,
	});
	const events = await till.published("treasury.payout.changed", till.tenants.uhai);
	expect(events.map(({ status, version }) => [version, status])).toEqual([
		...[
			[1, "awaiting_approval"],
			[2, "approved"],
			[3, "submitting"],
			[4, "in_flight"],
			[5, "paid"],
		],
	]);
	expect(await violations()).toEqual([]);
});

test("a payout above the ceiling, or to a recipient younger than a day, or than the platform owner says, waits for another person than its maker, superusers included", async () => {
	const young = await till.addRecipient("0001", { isNew: true });
	await till.ask("PUT", "/payout-config", {
		body: { schedule: "manual", minimum_minor: 0, approval_above_minor: 50_000 },
	});
	expect((await request({ amount_minor: 50_000 })).body).toMatchObject({ status: "approved" });
	expect((await request({ amount_minor: 1_000, recipient_id: young })).body).toMatchObject({
		status: "awaiting_approval",
	});
	const coolDown = (recipient_cool_down_hours: number) =>
		till.operate("PUT", "/gateways/card-gateway", { body: { settings: { recipient_cool_down_hours } } });
	expect((await coolDown(0)).status).toBe(200);
	expect((await request({ amount_minor: 1_000, recipient_id: young })).body).toMatchObject({
		status: "approved",
	});
	await coolDown(24);
	await makeAvailable(till.database.db, till.tenants.uhai.id, { amountMinor: 100_000n });
	const { id, status } = (await request({ amount_minor: 50_001 })).body;
	expect(status).toBe("awaiting_approval");
	await till.service.jobs.runDue();
	expect(await till.ask("POST", `/payouts/${id}/approve`)).toMatchObject(refused(403, "approver_is_creator"));
	const approved = await till.ask("POST", `/payouts/${id}/approve`, { by: "checker" });
	expect(approved).toMatchObject({
		status: 200,
		body: { status: "approved", approvals: [{ decision: "approved" }] },
	});
	expect(await till.ask("POST", `/payouts/${id}/approve`, { by: "checker" })).toMatchObject(
		refused(409, "payout_not_waiting"),
	);
	await till.ask("PUT", "/payout-config", { body: { schedule: "manual", minimum_minor: 0 } });
});

test("a payout that is rejected or cancelled before it is sent releases what it held, and is not sent", async () => {
	const { id: rejected } = (await request({ amount_minor: 60_000 })).body;
	const { id: cancelled } = (await request({ amount_minor: 40_000 })).body;
	const because = "The account is wrong";
	expect(
		await till.ask("POST", `/payouts/${rejected}/reject`, { by: "checker", body: { because } }),
	).toMatchObject({
		status: 200,
		body: { status: "rejected", approvals: [{ decision: "rejected", because }] },
	});
	expect(await till.ask("POST", `/payouts/${cancelled}/cancel`)).toMatchObject({
		body: { status: "cancelled" },
	});
	expect(await changed()).toEqual({});
	await till.service.jobs.runDue();
	for (const id of [rejected, cancelled]) {
		expect(await till.moved(String((await till.payout(String(id)))["reference"]))).toEqual([]);
		expect(await till.ask("POST", `/payouts/${id}/cancel`)).toMatchObject(refused(409, "payout_not_waiting"));
	}
});

test("a repetition with its Idempotency-Key is the payout as it is now; with another request, or without a key, it is refused", async () => {
	const body = { rail, recipient_id, amount_minor: 30_000 };
	const first = await till.ask("POST", "/payouts", { body, key: "salary-1" });
	const again = await till.ask("POST", "/payouts", { body, key: "salary-1" });
	expect(again).toMatchObject({ status: 200, body: { id: first.body["id"] } });
	expect(await changed()).toMatchObject({ "tenant.available": -30_000 });
	expect(
		await till.ask("POST", "/payouts", { body: { ...body, amount_minor: 1 }, key: "salary-1" }),
	).toMatchObject(refused(409, "idempotency_key_reused"));
	expect(
		await till.call({
			...{ method: "POST", url: "/api/v1/uhai/treasury/payouts", body },
			token: till.token(till.tenants.uhai, "admin"),
		}),
	).toMatchObject(refused(400, "idempotency_key_required"));
});

test("more than is available, less than the minimum, more than the day's limit, and a payout without a recipient are refused", async () => {
	expect(await request({ amount_minor: 900_000_000 })).toMatchObject(refused(409, "balance_insufficient"));
	await till.ask("PUT", "/payout-config", { body: { schedule: "manual", minimum_minor: 20_001 } });
	expect(await request({ amount_minor: 20_000 })).toMatchObject(refused(409, "payout_below_minimum"));
	await till.ask("PUT", "/payout-config", { body: { schedule: "manual", minimum_minor: 0 } });
	const limitTo = (minor: number) =>
		till.operate("PUT", "/gateways/card-gateway", { body: { settings: { daily_payout_minor: minor } } });
	expect((await limitTo(1_000)).status).toBe(200);
	expect(await request({ amount_minor: 1_001 })).toMatchObject(refused(409, "daily_limit_reached"));
	const byPhone = { rail: "mobile_money", kind: "customer", to: "0712345678", remarks: "Wages" };
	expect(await till.ask("POST", "/payouts", { body: { ...byPhone, amount_minor: 1_100 } })).toMatchObject(
		refused(409, "daily_limit_reached"),
	);
	await limitTo(100_000_000);
	const body = { rail, amount_minor: 1_000 };
	expect(await till.ask("POST", "/payouts", { body })).toMatchObject(refused(409, "recipient_missing"));
	expect(await request({ kind: "customer" })).toMatchObject({ status: 400, body: { field: "kind" } });
	expect(await till.ask("GET", `/payouts/${crypto.randomUUID()}`)).toMatchObject(
		refused(404, "payout_not_found"),
	);
	expect(await changed()).toEqual({});
});

test("while payouts are halted nothing is asked for and nothing is sent, and afterwards it continues", async () => {
	const { id } = (await request({ amount_minor: 10_000 })).body;
	const halt = (is_on: boolean) =>
		till.operate("PUT", "/halts", { body: { scope: "payouts", is_on, because: "The gateway is wrong" } });
	await halt(true);
	expect(await request()).toMatchObject(refused(503, "halted"));
	await till.service.jobs.runDue();
	expect(await till.payout(String(id))).toMatchObject({ status: "approved" });
	await halt(false);
	await till.wait(300);
	await isSent(String(id));
});

test("nothing is sent for a suspended tenant, until it is active again", async () => {
	const { id } = (await request({ amount_minor: 10_000 })).body;
	const setStatus = (status: string) =>
		till.database.db.query("update tenants set status = $2 where id = $1", [till.tenants.uhai.id, status]);
	await setStatus("suspended");
	await till.service.jobs.runDue();
	await setStatus("active");
	expect(await till.payout(String(id))).toMatchObject({ status: "approved" });
	await till.wait(300);
	await isSent(String(id));
});
