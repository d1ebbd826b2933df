import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { receiveFailure } from "../src/billing/receive-payment.ts";
import { receiveBillFailure } from "../src/overage/bill-payment.ts";
import { type Desk, openDesk, until } from "./desk.ts";
import { settleAll } from "./settle-all.ts";
import { setUsageScene } from "./usage-scene.ts";

// Credit pays for one thing only, and a request is for the rest.

const scene = setUsageScene();
const stored = <R extends Record<string, unknown>>(text: string) =>
	inTenant(scene.service.db, scene.tenantId, (tx) => tx.query<R>(text));
type Operation = { id: string; kind: string; status: string; balance: number; amount: number };
const operations = () =>
	stored<Operation>(
		`select id, kind, status, balance_minor::float8 as balance, amount_minor::float8 as amount
		   from billing_operations order by requested_at, id`,
	);
const bills = () =>
	stored<{ id: string; balance: number; amount: number; failure: string | null }>(
		`select id, balance_minor::float8 as balance, amount_minor::float8 as amount, failure
		   from overage_bills order by period_ends_at`,
	);
const balance = async () =>
	(await stored<{ minor: number }>("select balance_minor::float8 as minor from subscriptions"))[0]?.minor;
const openOf = async () => {
	const open = (await operations()).find(({ status }) => status === "requested");
	if (open === undefined) throw new Error("no payment is requested");
	return open;
};

describe("credit of a tenant whose period ends with overage", () => {
	const periodEnd = new Date("2026-03-20T00:00:00Z");
	const dayMs = 86_400_000;
	const passAt = async (now: Date) => {
		scene.service.clock.now = now;
		await settleAll(scene.service, { now });
	};

	beforeEach(async () => {
		const limits = { max_orders_per_day: 10 };
		// A month of the plan costs 100, two orders above the limit 500.
		scene.tenantId = await scene.tenantWith({
			limits,
			overage: { max_orders_per_day: { unit_price_minor: 250, cap: 5 } },
		});
		await stored(
			`update subscriptions set renewals_asked = 0, balance_minor = 40, balance_currency = 'KES', next_due_at = period_ends_at`,
		);
		await openDesk(scene.service, scene.tenantId).answers("silent");
		const at = scene.service.clock.now.toISOString();
		await scene.report([{ id: randomUUID(), metric: "order_count", value: 12, at }]);
	});

	test("is used by the renewal only, which completes when it is paid; the bill is requested in full", async () => {
		await passAt(periodEnd);
		const renewal = await openOf();
		expect(renewal).toMatchObject({ kind: "renewal", balance: 40, amount: 60 });
		expect(await bills()).toMatchObject([{ balance: 0, amount: 500 }]);
		await scene.service.payLate(scene.tenantId, renewal.id);
		expect(await operations()).toMatchObject([{ kind: "renewal", status: "succeeded" }]);
		expect((await scene.call({ path: "/subscription" })).body["status"]).toBe("ACTIVE");
		expect(await balance()).toBe(0);
	});

	test("that a checkout counts on at the end of the grace period is not used by the bill", async () => {
		await passAt(periodEnd);
		const late = new Date(periodEnd.getTime() + 5 * dayMs);
		scene.service.clock.now = late;
		await scene.report([
			{ id: randomUUID(), metric: "order_count", value: 12, at: new Date(late.getTime() - 1).toISOString() },
		]);
		const graceEnd = new Date(periodEnd.getTime() + 21 * dayMs);
		scene.service.clock.now = new Date(graceEnd.getTime() - dayMs / 2);
		await openDesk(scene.service, scene.tenantId).ask("POST", "/checkout", { plan: "GROWTH" });
		const checkout = await openOf();
		expect(checkout).toMatchObject({ kind: "checkout", balance: 40 });
		await passAt(graceEnd);
		expect((await bills()).map((bill) => bill.balance)).toEqual([0, 0]);
		await scene.service.payLate(scene.tenantId, checkout.id);
		expect((await scene.call({ path: "/subscription" })).body).toMatchObject({
			plan: "GROWTH",
			status: "ACTIVE",
		});
	});

	test("is left to the bill by a renewal that is closed", async () => {
		await stored("update subscriptions set renewals_asked = 1000");
		await passAt(periodEnd);
		expect(await bills()).toMatchObject([{ balance: 40, amount: 460 }]);
	});

	test("a failed attempt of a bill is ignored once it was requested again", async () => {
		await passAt(periodEnd);
		await passAt(new Date(periodEnd.getTime() + dayMs));
		const [bill] = await bills();
		const failed = { tenantId: scene.tenantId, operationId: bill?.id ?? "", reason: "no money" };
		await receiveBillFailure(scene.service.db, { ...failed, attempt: 1 });
		expect((await bills())[0]?.failure).toBeNull();
		await receiveBillFailure(scene.service.db, { ...failed, attempt: 2 });
		expect((await bills())[0]?.failure).toBe("no money");
	});
});

describe("a failed attempt", () => {
	let desk: Desk;
	let operationId: string;
	beforeEach(async () => {
		desk = openDesk(scene.service);
		scene.tenantId = desk.tenantId;
		await desk.ask("POST", "", { plan: "GROWTH" });
		await desk.answers("silent");
		const { body } = await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		operationId = String(body["operation_id"]);
	});
	const fail = (attempt: number) =>
		receiveFailure(scene.service.parts, {
			tenantId: desk.tenantId,
			operationId,
			attempt,
			reason: "no money",
		});

	test("is ignored if the payment was requested again, and the newer attempt is paid", async () => {
		await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		await fail(1);
		expect(await operations()).toMatchObject([{ id: operationId, status: "requested" }]);
		await scene.service.payLate(desk.tenantId, operationId);
		expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
		expect(await balance()).toBe(0);
	});

	test("is shown as refused with any reason of the treasury, even one of this service's own words", async () => {
		const failed = { tenantId: desk.tenantId, operationId, attempt: 1, reason: "cancelled" };
		await receiveFailure(scene.service.parts, failed);
		const { items } = (await desk.ask("GET", "/payments")).body as { items: object[] };
		expect(items).toMatchObject([{ id: operationId, status: "refused", failure: "cancelled" }]);
	});

	test("closes a first payment; a later payment becomes credit, which the next request uses", async () => {
		await fail(1);
		expect(await operations()).toMatchObject([{ id: operationId, status: "closed" }]);
		await scene.service.payLate(desk.tenantId, operationId);
		expect(await operations()).toMatchObject([{ id: operationId, status: "credited" }]);
		expect(await balance()).toBe(450_000);
		const { body } = await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		expect(body["amount_minor"]).toBe(0);
		expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
	});

	test("leaves a renewal open, which completes when it is paid", async () => {
		await scene.service.payLate(desk.tenantId, operationId);
		await desk.daysPass(46);
		operationId = (await openOf()).id;
		await fail(1);
		expect(await openOf()).toMatchObject({ id: operationId, kind: "renewal" });
		await scene.service.payLate(desk.tenantId, operationId);
		expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
	});
});

describe("credit that arrives while a payment is requested", () => {
	let desk: Desk;
	/** Requests a change two days before the period ends, and withdraws it. */
	const changeWithdrawn = async (plan: string) => {
		desk = openDesk(scene.service);
		scene.tenantId = desk.tenantId;
		scene.service.clock.now = new Date("2026-03-01T12:00:00Z");
		await desk.payFor("STARTER");
		await until(desk.isOn("STARTER", "ACTIVE"));
		await desk.answers("silent");
		const { quote_id } = await desk.quote(plan);
		const { body } = await desk.ask("POST", "/change", { quote_id, mode: "now" });
		await desk.ask("DELETE", "/pending-change");
		return { id: String(body["operation_id"]), amount: Number(body["amount_minor"]) };
	};

	test("pays a renewal that it covers at once, without another request", async () => {
		const { id, amount } = await changeWithdrawn("GROWTH");
		expect(await desk.daysPass(32)).toMatchObject({ status: "PAST_DUE" });
		await scene.service.payLate(desk.tenantId, id);
		expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE", plan: "STARTER" });
		expect(await balance()).toBe(amount - 150_000);
	});

	test("prevents the request of a payment replaced in the same transaction", async () => {
		await changeWithdrawn("GROWTH");
		await desk.daysPass(32);
		const renewal = await openOf();
		// As the previous release left it: credit that no open payment counts on.
		await stored(`update subscriptions set balance_minor = 1000, balance_currency = 'KES'`);
		await scene.service.payLate(desk.tenantId, renewal.id);
		expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
		expect(await balance()).toBe(1_000);
		const requested = await desk.events("subscription.billing.requested");
		const renewals = requested.filter(({ data }) => data["kind"] === "renewal");
		expect(new Set(renewals.map(({ data }) => data["operation_id"]))).toEqual(new Set([renewal.id]));
	});

	test("lowers the amount: a new request replaces the first one at once", async () => {
		scene.service.clock.now = new Date("2026-03-01T12:00:00Z");
		const { id } = await changeWithdrawn("GROWTH");
		await stored(`update billing_operations set amount_minor = 1000, charge_minor = 1000, credit_minor = 0, balance_minor = 0
		               where kind = 'change'`);
		await desk.daysPass(32);
		const renewal = await openOf();
		await scene.service.payLate(desk.tenantId, id);
		const lowered = await openOf();
		expect(lowered).toMatchObject({ kind: "renewal", balance: 1_000, amount: 149_000 });
		expect(lowered.id).not.toBe(renewal.id);
		const requested = await desk.events("subscription.billing.requested");
		// Events about two operations arrive in any order.
		const [first, ...more] = requested.filter(({ data }) => data["operation_id"] === lowered.id);
		expect(more).toEqual([]);
		expect(first?.data).toMatchObject({
			attempt: 1,
			amount_minor: 149_000,
			lines: [
				{ what: "plan", code: "STARTER", amount_minor: 150_000 },
				{ what: "balance", code: "balance", amount_minor: -1_000 },
			],
		});
		await scene.service.payLate(desk.tenantId, lowered.id);
		expect(await desk.snapshot()).toMatchObject({ status: "ACTIVE" });
		expect(await balance()).toBe(0);
	});
});
