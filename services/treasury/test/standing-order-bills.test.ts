import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { askForBill } from "../src/billing/ask-for-bill.ts";
import { lockOperation } from "../src/payments/intent.store.ts";
import { keys } from "./add-bill.ts";
import { changePlan } from "./change-plan.ts";
import { newOperation, newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
const now = () => till.clock.now ?? new Date();
const sourceService = "subscriptions";
const person = randomUUID();
const dayMs = 86_400_000;

/** What the plan costs from the end of the paid period on. */
function setPrice(amountMinor: number): void {
	till.subscriptions.billing.set(till.tenants.uhai.id, {
		...{ version: 1, plan: "GROWTH", plan_version: 1, price_minor: amountMinor, currency: "KES" },
		...{ interval: "month", period_started_at: null, cancelled_at: null },
		period_ends_at: new Date(now().getTime() + 2 * dayMs).toISOString(),
		...{ next_period: { plan: "GROWTH", interval: "month", amount_minor: amountMinor } },
		...{ balance_minor: 0, open_payment_id: null },
	});
}

beforeAll(async () => {
	await till.registerUrls(till.tenants.lango);
	setPrice(250_000);
});

function call(method: string, body?: object) {
	const iat = Math.floor(now().getTime() / 1_000);
	const token = till.token(till.tenants.uhai, "admin", { sub: person, iat, exp: iat + 3_600 });
	const url = "/api/v1/uhai/treasury/billing-method";
	return till.call({ method, url, token, ...(body && { body }) });
}

const inIt: <T>(work: Parameters<typeof inTenant<T>>[2]) => Promise<T> = (work) =>
	inTenant(till.database.db, till.tenants.uhai.id, work);

async function ask(amountMinor = 250_000): Promise<string> {
	const operationId = newOperation();
	const parts = { keys, now, settings: { consoleUrl: "" } };
	const asked = { operation_id: operationId, tenant_id: till.tenants.uhai.id, kind: "renewal", attempt: 1 };
	const expiresAt = new Date(now().getTime() + 90 * dayMs);
	await inIt((tx) =>
		askForBill(tx, parts, {
			...{ ...asked, amount_minor: amountMinor, currency: "KES", sourceService, description: "Lango plan" },
			...{ askedAt: now(), expiresAt },
		}),
	);
	return operationId;
}

const statusOf = async (operationId: string) =>
	(await inIt((tx) => lockOperation(tx, { sourceService, operationId })))?.status;

const countOf = async (route: string) =>
	(await till.database.db.query("select from webhook_deliveries where route = $1", [route])).length;

/** Does something, and applies what the gateway sends because of it. */
async function withDelivery(route: string, work: () => Promise<unknown>): Promise<void> {
	const before = await countOf(route);
	await work();
	await expect.poll(() => countOf(route)).toBeGreaterThan(before);
	await till.service.jobs.runDue();
}

test("renewals are paid by a standing order, executed after the asking and before it; somebody has to pay one that is too high after 48 hours, and no other one", async () => {
	const phone = newPhone("is silent");
	await withDelivery("standing-order", async () => {
		const { status, body } = await call("PUT", { kind: "standing_order", phone });
		expect([status, body["code"]]).toEqual([200, undefined]);
		expect(body).toMatchObject({ standing_order: { status: "consent_pending", amount_minor: 250_000 } });
		await till.sandbox("POST", `/_control/phones/${phone}/accept`);
	});
	expect((await call("PUT", { kind: "standing_order", phone })).body).toMatchObject({
		standing_order: { status: "active", frequency: "monthly" },
	});
	// The order is executed two days after the beginning: within the 48 hours that it has to pay this bill.
	await till.wait(86_400);
	const first = await ask();
	await withDelivery("confirmation", () => till.wait(1.5 * 86_400));
	expect(await statusOf(first)).toBe("succeeded");
	await withDelivery("confirmation", () => till.wait(32 * 86_400));
	expect(await till.balances(till.tenants.uhai)).toMatchObject({ unapplied: 250_000 });
	expect(await statusOf(await ask())).toBe("succeeded");
	const high = await ask(300_000);
	await till.wait(48 * 3_600 - 60);
	expect(await statusOf(high)).toBe("requires_payment");
	const failures = async () =>
		(await till.published("treasury.payment.failed", till.tenants.uhai)).map(({ reason }) => reason);
	const required = async () =>
		(await till.published("treasury.payment.required", till.tenants.uhai)).map(
			(event) => event["operation_id"],
		);
	expect([await failures(), await required()]).toEqual([[], []]);
	await till.wait(3_600);
	expect([await failures(), await required()]).toEqual([["not_executed"], [high]]);
});

/** What was published about orders that have to be replaced. */
const outdated = async () =>
	(await till.published("treasury.standing_order.changed", till.tenants.uhai))
		.filter((event) => event["needs_replacement"])
		.map(({ status, amount_minor, currency, replacement_minor }) => [
			status,
			amount_minor,
			currency,
			replacement_minor,
		]);

test("when the plan changes its price, the order has to be replaced: the former one is stopped, and its money still pays bills", async () => {
	setPrice(300_050);
	await changePlan(till);
	await changePlan(till);
	expect((await call("GET")).body).toMatchObject({ standing_order: { needs_replacement: true } });
	expect(await outdated()).toEqual([["active", 250_000, "KES", 300_100]]);
	await withDelivery("confirmation", () => till.wait(32 * 86_400));
	await withDelivery("standing-order", () =>
		call("PUT", { kind: "standing_order", phone: newPhone("accepts") }),
	);
	expect((await call("GET")).body).toMatchObject({
		standing_order: { needs_replacement: false, amount_minor: 300_100, status: "active" },
	});
	const orders = await inIt((tx) => tx.query("select status from standing_orders order by id"));
	expect(orders.map(({ status }) => status)).toEqual(["stopped", "active"]);
	// Neither the payment nor the stop asks for a replacement again.
	expect((await outdated()).slice(-2)).toEqual([
		["active", 250_000, "KES", undefined],
		["stopped", 250_000, "KES", undefined],
	]);
	till.subscriptions.billing.delete(till.tenants.uhai.id);
	const unknown = await call("PUT", { kind: "standing_order", phone: newPhone("accepts") });
	expect([unknown.status, unknown.body["code"]]).toEqual([503, "subscription_unavailable"]);
	setPrice(0);
	const free = await call("PUT", { kind: "standing_order", phone: newPhone("accepts") });
	expect([free.status, free.body["code"]]).toEqual([409, "nothing_to_collect"]);
});

test("a renewal is collected by a prompt while the payer has not consented to the order in three days", async () => {
	setPrice(250_000);
	const phone = newPhone("is silent");
	expect((await call("PUT", { kind: "standing_order", phone })).body).toMatchObject({
		...{ collected_by: "standing_order", standing_order: { status: "consent_pending" } },
	});
	await till.wait(3 * 86_400 + 60);
	await till.service.jobs.run("standing-orders.end.sweep");
	await till.service.jobs.runDue();
	expect((await call("GET")).body).toMatchObject({
		...{ kind: "standing_order", collected_by: "push", standing_order: { status: "failed" } },
	});
	const operationId = await ask(260_000);
	const promptsOf = () =>
		inIt((tx) =>
			tx.query(
				"select a.phone from attempts a join intents i on i.tenant_id = a.tenant_id and i.id = a.intent_id where i.operation_id = $1",
				[operationId],
			),
		);
	for (let hours = 0; hours < 24 && (await promptsOf()).length === 0; hours += 1) await till.wait(3_600);
	expect(await promptsOf()).toEqual([{ phone }]);
});
