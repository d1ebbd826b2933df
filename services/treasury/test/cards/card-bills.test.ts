import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { acrossTenants, inTenant } from "@lango/postgres";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { setUp } from "@lango/testkit/set-up";
import { unseal } from "@lango/tokens";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { askForBill } from "../../src/billing/ask-for-bill.ts";
import { findCardSubscription } from "../../src/billing/methods/follow-by-card.ts";
import { emailTokenContext } from "../../src/card-subscriptions/card-subscription.ts";
import { switchHalt } from "../../src/halts/halt.store.ts";
import { lockOperation } from "../../src/payments/intent.store.ts";
import { keys } from "../add-bill.ts";
import { changePlan } from "../change-plan.ts";
import { findViolations } from "../ledger/invariants.ts";
import { newOperation, newPhone, openTill } from "../till.ts";

const till = setUp(openTill);
const now = () => till.clock.now ?? new Date();
const sourceService = "subscriptions";
const person = randomUUID();
const dayMs = 86_400_000;
afterEach(async () => {
	await till.cards("PUT", "/_control/faults", []);
	const read = (text: string) => acrossTenants(till.database.db, (tx) => tx.query(text));
	expect(await findViolations({ read: read as never })).toEqual([]);
});

/** What the plan costs from the end of the paid period, in two days. */
function setPrice(amountMinor: number, more: object = {}): void {
	till.subscriptions.billing.set(till.tenants.uhai.id, {
		...{ version: 1, plan: "GROWTH", plan_version: 1, price_minor: amountMinor, currency: "KES" },
		...{ interval: "month", period_started_at: null, cancelled_at: null },
		period_ends_at: new Date(now().getTime() + 2 * dayMs).toISOString(),
		...{ next_period: { plan: "GROWTH", interval: "month", amount_minor: amountMinor } },
		...{ balance_minor: 0, open_payment_id: null, ...more },
	});
}

function call(method: string, path: string, body?: object) {
	const iat = Math.floor(now().getTime() / 1_000);
	const token = till.token(till.tenants.uhai, "admin", { sub: person, iat, exp: iat + 3_600 });
	return till.call({ method, url: `/api/v1/uhai/treasury/${path}`, token, ...(body && { body }) });
}

const inIt: <T>(work: Parameters<typeof inTenant<T>>[2]) => Promise<T> = (work) =>
	inTenant(till.database.db, till.tenants.uhai.id, work);

async function ask(amountMinor = 250_050, kind = "renewal"): Promise<string> {
	const operationId = newOperation();
	const parts = { keys, now, settings: { consoleUrl: "" } };
	const asked = { operation_id: operationId, tenant_id: till.tenants.uhai.id, kind, attempt: 1 };
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

/** Runs what is due until a value is another one. */
async function runUntil(value: () => Promise<unknown>, expected: unknown): Promise<void> {
	for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
		await till.service.jobs.runDue();
		if ((await value()) === expected) return;
	}
	expect(await value()).toBe(expected);
}

const method = async () => (await call("GET", "billing-method")).body;
type Shown = { id: string; status: string; executions: number; amount_minor: number };
const subscription = async () => (await method())["card_subscription"] as Shown;
const statuses = async () => {
	const rows = await inIt((tx) =>
		tx.query<{ status: string }>("select status from card_subscriptions order by created_at, id"),
	);
	return rows.map(({ status }) => status);
};

/** Pays a bill of the tenant by card, and returns the card that was kept of it. */
async function payBill(email: string): Promise<string> {
	const operationId = await ask(100_000, "checkout");
	const { body } = await call("POST", `bills/${operationId}/checkout`, { email, channels: ["card"] });
	await till.cards("POST", `/_control/checkouts/${body["access_code"]}`, { action: "pay", channel: "card" });
	await runUntil(() => statusOf(operationId), "succeeded");
	const [card] = (await method())["cards"] as Array<{ id: string }>;
	return card?.id ?? "";
}

let card = "";
beforeAll(async () => {
	card = await payBill("owner@example.com");
});
beforeEach(() => setPrice(250_050));

const choose = (more: object = {}) =>
	call("PUT", "billing-method", { kind: "card_subscription", authorization_id: card, ...more });

test("a renewal is paid by the card when the paid period ends, to the cent, and by one charge only, also if the card is chosen twice at once", async () => {
	const chosen = await Promise.all([choose(), choose()]);
	expect(chosen.map(({ status }) => status)).toEqual([200, 200]);
	expect(await statuses()).toEqual(["active"]);
	expect(await method()).toMatchObject({
		...{ kind: "card_subscription", phone: null, cards: [{ brand: "visa", last4: "4081" }] },
		card_subscription: { status: "active", amount_minor: 250_050, interval: "monthly", executions: 0 },
	});
	expect((await choose()).body).toMatchObject({ card_subscription: { id: (await subscription()).id } });
	const renewal = await ask();
	await till.wait(3 * 86_400);
	await runUntil(() => statusOf(renewal), "succeeded");
	expect(await subscription()).toMatchObject({ executions: 1 });
	expect(await till.balances(till.tenants.uhai)).toMatchObject({ unapplied: 0 });
});

test("a charge before the asking waits as unused money; at the old price it pays nothing, and after 48 hours the asking was not executed", async () => {
	await till.wait(32 * 86_400);
	await runUntil(async () => (await till.balances(till.tenants.uhai))["unapplied"], 250_050);
	expect(await statusOf(await ask())).toBe("succeeded");
	await till.wait(32 * 86_400);
	await runUntil(async () => (await till.balances(till.tenants.uhai))["unapplied"], 250_050);
	const high = await ask(300_000);
	await till.wait(48 * 3_600 - 60);
	expect(await statusOf(high)).toBe("requires_payment");
	const published = async () => {
		const types = ["treasury.payment.required", "treasury.payment.failed"];
		const events = await Promise.all(types.map((type) => till.published(type, till.tenants.uhai)));
		const ofIt = events.flat().filter(({ operation_id }) => operation_id === high);
		return ofIt.map(({ reason, because }) => reason ?? because);
	};
	expect(await published()).toEqual([]);
	await till.wait(3_600);
	expect(await published()).toEqual(["renewal", "not_executed"]);
});

test("a plan of another price replaces the card subscription by one of the same card, and the same price changes nothing", async () => {
	const before = await subscription();
	setPrice(300_000);
	await changePlan(till);
	const replaced = await subscription();
	expect(replaced).toMatchObject({ amount_minor: 300_000, status: "active" });
	expect(replaced.id).not.toBe(before.id);
	expect(await statuses()).toEqual(["non_renewing", "active"]);
	await changePlan(till);
	expect((await subscription()).id).toBe(replaced.id);
});

test("a price that changes while collections are halted is followed afterwards, however long that lasts, and nothing is made at the gateway meanwhile", async () => {
	const halt = async (isOn: boolean) => {
		const because = "The gateway reports wrong amounts";
		const halting = { scope: "collections", tenantId: undefined, isOn, because } as const;
		await switchHalt(till.database.db, { ...halting, setBy: "operator", setAt: now() }, async () => {});
	};
	const plans = () => inIt((tx) => tx.query("select from card_plans"));
	const [before, made] = [await subscription(), (await plans()).length];
	setPrice(350_000);
	await halt(true);
	expect(await choose()).toMatchObject({ status: 503, body: { code: "halted" } });
	await changePlan(till);
	// More often than it is tried otherwise.
	for (let turn = 0; turn < 14; turn += 1) await till.wait(3_601);
	expect([(await subscription()).id, (await plans()).length]).toEqual([before.id, made]);
	await halt(false);
	await till.wait(3_601);
	expect(await subscription()).toMatchObject({ amount_minor: 350_000, status: "active" });
});

test("a subscription that is not renewed stops the card, and one that is renewed again charges it", async () => {
	setPrice(300_000, { cancelled_at: now().toISOString() });
	await changePlan(till);
	expect(await subscription()).toMatchObject({ status: "non_renewing" });
	expect(await choose()).toMatchObject({ status: 409, body: { code: "nothing_to_collect" } });
	setPrice(300_000);
	await changePlan(till);
	expect(await subscription()).toMatchObject({ status: "active" });
});

test("another method stops the card, also when the gateway does not answer at first", async () => {
	const { id } = await subscription();
	await till.cards("PUT", "/_control/faults", [
		{ operation: "disable_subscription", fault: "maintenance", count: 1 },
	]);
	expect((await call("PUT", "billing-method", { kind: "push", phone: newPhone("is silent") })).status).toBe(
		200,
	);
	await till.service.jobs.runDue();
	const stored = () =>
		inIt((tx) => tx.query<{ status: string }>("select status from card_subscriptions where id = $1", [id]));
	expect(await stored()).toEqual([{ status: "active" }]);
	await till.wait(60);
	expect(await stored()).toEqual([{ status: "non_renewing" }]);
});

test("a card subscription that no billing method names is stopped: its request ended before the method was stored", async () => {
	await choose();
	await inIt((tx) => tx.query("delete from billing_methods"));
	await till.wait(900);
	await till.service.jobs.run("card-subscriptions.stop.sweep");
	await till.service.jobs.runDue();
	expect((await statuses()).at(-1)).toBe("non_renewing");
});

test("a card that is not one of the tenant's bills is refused", async () => {
	for (const authorization_id of [undefined, randomUUID()])
		expect(await choose({ authorization_id })).toMatchObject({
			...{ status: 409, body: { code: "authorization_missing" } },
		});
});

/** The payer stops the card subscription of the billing method at the gateway. */
async function stopAtGateway(): Promise<void> {
	const { subscriptionCode, emailToken } = (await inIt(findCardSubscription)) ?? expect.fail();
	const token = unseal(keys, emailTokenContext, emailToken ?? expect.fail());
	const { ok } = await fetch(`${till.cardGateway.url}/subscription/disable`, {
		method: "POST",
		headers: { authorization: `Bearer ${defaultSecretKey}`, "content-type": "application/json" },
		body: JSON.stringify({ code: subscriptionCode, token }),
	});
	expect(ok).toBe(true);
	await runUntil(async () => (await subscription()).status, "non_renewing");
}

test("a card whose payer stopped the subscription at the gateway is charged again only if it is chosen again; until then somebody has to pay", async () => {
	expect((await choose()).status).toBe(200);
	const { id } = await subscription();
	await stopAtGateway();
	for (const price of [250_050, 400_000]) {
		setPrice(price);
		await changePlan(till);
		expect(await subscription()).toMatchObject({ id, status: "non_renewing" });
	}
	const renewal = await ask(900_000);
	const last = async (type: string) => (await till.published(type, till.tenants.uhai)).at(-1);
	expect(await last("treasury.payment.required")).toMatchObject({ operation_id: renewal });
	expect(await last("treasury.payment.failed")).toMatchObject({
		...{ operation_id: renewal, reason: "no_billing_method" },
	});
	expect((await choose()).body).toMatchObject({
		card_subscription: { status: "active", amount_minor: 400_000 },
	});
});

test("a card that has expired is refused, also if it is charged already, and is stopped when the plan has another price", async () => {
	expect((await choose()).status).toBe(200);
	await inIt((tx) => tx.query("update card_authorizations set exp_year = 2020 where id = $1", [card]));
	expect(await choose()).toMatchObject({
		...{ status: 409, body: { code: "card_expired", field: "authorization_id" } },
	});
	expect(await subscription()).toMatchObject({ status: "active" });
	setPrice(450_000);
	await changePlan(till);
	expect(await subscription()).toMatchObject({ status: "non_renewing", amount_minor: 250_050 });
});
