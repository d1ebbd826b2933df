import { randomUUID } from "node:crypto";
import { authUserDeleted, tenantDeleted } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { findViolations } from "../ledger/invariants.ts";
import { openTill } from "../till.ts";
import { openWallet, type Wallet } from "./paying-by-card.ts";

const at = setUp(async () => {
	const till = await openTill();
	return { ...till, wallet: openWallet(till) };
});
const ask: Wallet["ask"] = (...asked) => at.wallet.ask(...asked);
const becomes: Wallet["becomes"] = (...what) => at.wallet.becomes(...what);
const fault = (operation: string, name: string) =>
	at.cards("PUT", "/_control/faults", [{ operation, fault: name, count: 1 }]);
afterEach(async () => {
	await at.cards("PUT", "/_control/faults", []);
	const read = (text: string) => acrossTenants(at.database.db, (tx) => tx.query(text));
	expect(await findViolations({ read: read as never })).toEqual([]);
});

const monthSeconds = 32 * 86_400;
const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
	status,
	body["code"],
];

test("a card that paid is charged by a plan, at once and every month, and each charge is a paid request of the tenant's trade", async () => {
	const { pending = 0 } = await at.balances(at.tenants.uhai);
	const { status, body } = await at.wallet.subscribe();
	expect([status, body["status"]]).toEqual([201, "active"]);
	const { id } = body;
	await becomes(id, { executions: 1, status: "active", amount_minor: 250_050, interval: "monthly" });
	await at.wait(monthSeconds);
	await becomes(id, { executions: 2, status: "active", card: { brand: "visa", last4: "4081" } });
	const { body: paid } = await ask("GET", `/intents?order_id=${id}`);
	const charged = { status: "succeeded", amount_minor: 250_050, received_minor: 250_050 };
	expect(paid["items"]).toMatchObject([charged, charged]);
	expect(await at.balances(at.tenants.uhai)).toMatchObject({
		"tenant.pending": pending + 100_000 + 500_100,
	});
	const published = await at.published("treasury.card_subscription.changed", at.tenants.uhai);
	expect(published.at(-1)).toMatchObject({ card_subscription_id: id, payee: "tenant", status: "active" });
});

test("a stopped subscription is resumed, and completed once its time is over; then it is closed", async () => {
	const { id } = (await at.wallet.subscribe()).body;
	const change = (what: "disable" | "enable") => ask("POST", `/card-subscriptions/${id}/${what}`);
	await becomes(id, { executions: 1 });
	expect(codeOf(await change("enable"))).toEqual([409, "card_subscription_running"]);
	expect((await change("disable")).body).toMatchObject({ status: "non_renewing" });
	expect(codeOf(await change("disable"))).toEqual([409, "card_subscription_closed"]);
	expect((await change("enable")).body).toMatchObject({ status: "active" });
	expect((await change("disable")).body).toMatchObject({ status: "non_renewing" });
	await at.wait(monthSeconds);
	await becomes(id, { executions: 1, status: "completed" });
	expect(codeOf(await change("enable"))).toEqual([409, "card_subscription_closed"]);
	expect(codeOf(await change("disable"))).toEqual([409, "card_subscription_closed"]);
});

test("a card that is declined later needs attention, and no money is counted", async () => {
	const { id } = (await at.wallet.subscribe({ cardNumber: "4084084084080341" })).body;
	await becomes(id, { executions: 0, status: "attention" });
});

test("a subscription is refused without a plan, without a card that paid here, with one that has expired, and for a payer who has one of the plan", async () => {
	const [authorization_id, plan_id] = [
		await at.wallet.payByCard("amina@example.com"),
		await at.wallet.makePlan(),
	];
	const subscribe = (more: object, key?: string) =>
		ask("POST", "/card-subscriptions", {
			...{ body: { plan_id, authorization_id, ...more }, ...(key !== undefined && { key }) },
		});
	expect(codeOf(await subscribe({ plan_id: randomUUID() }))).toEqual([404, "card_plan_not_found"]);
	expect(codeOf(await subscribe({ authorization_id: randomUUID() }))).toEqual([409, "authorization_missing"]);
	const expired = await at.wallet.payByCard("expired@example.com");
	await inTenant(at.database.db, at.tenants.uhai.id, (tx) =>
		tx.query("update card_authorizations set exp_year = 2020 where id = $1", [expired]),
	);
	expect(await subscribe({ authorization_id: expired })).toMatchObject({
		...{ status: 409, body: { code: "card_expired", field: "authorization_id" } },
	});
	const key = randomUUID();
	const made = await Promise.all([subscribe({}, key), subscribe({}, key)]);
	expect(made.map(({ status }) => status).sort()).toEqual([200, 201]);
	expect(codeOf(await subscribe({ plan_id: randomUUID() }, key))).toEqual([409, "idempotency_key_reused"]);
	expect(codeOf(await subscribe({}))).toEqual([409, "card_subscription_exists"]);
	const unknown = await ask("POST", `/card-subscriptions/${randomUUID()}/disable`);
	expect(codeOf(unknown)).toEqual([404, "card_subscription_not_found"]);
	const { body } = await ask("GET", "/card-subscriptions?status=active");
	expect(body["items"]).toContainEqual(expect.objectContaining({ id: made[0]?.body["id"] }));
});

test("after a lost answer the events of the gateway prove the subscription, also when they were parked before, and their token stops it", async () => {
	await fault("create_subscription", "reset_after_commit");
	const made = await at.wallet.subscribe();
	expect(made).toMatchObject({ status: 201, body: { status: "creating" } });
	const { id } = made.body;
	const early = await ask("POST", `/card-subscriptions/${id}/disable`);
	expect(codeOf(early)).toEqual([409, "card_subscription_pending"]);
	const { db } = at.database;
	const waiting = () =>
		db.query<{ id: string }>(
			"select id from webhook_deliveries where status = 'received' and route = 'cardgateway'",
		);
	await expect.poll(async () => (await waiting()).length).toBeGreaterThanOrEqual(4);
	const ids = (await waiting()).map((row) => row.id);
	await db.query(
		"update webhook_deliveries set status = 'parked', error = 'not handled yet' where id = any ($1)",
		[ids],
	);
	const iat = Math.floor((at.clock.now ?? new Date()).getTime() / 1_000);
	const token = at.token(at.tenants.lango, "superuser", { iat, exp: iat + 3_600 });
	for (const one of ids)
		await at.call({ method: "POST", url: `/api/v1/platform/inbox/${one}/replay`, token });
	await becomes(id, { status: "active", executions: 1 });
	expect((await ask("POST", `/card-subscriptions/${id}/disable`)).body).toMatchObject({
		status: "non_renewing",
	});
});

test("a subscription whose answer was lost and of which no event comes has failed after four days", async () => {
	await fault("create_subscription", "drop");
	const { id } = (await at.wallet.subscribe()).body;
	await at.wait(5 * 86_400);
	await at.service.jobs.run("card-subscriptions.fail.sweep");
	await becomes(id, { status: "failed", failure_code: "no_answer" });
});

test("what the gateway does not take now leaves no subscription, and what it refuses has failed", async () => {
	await fault("create_subscription", "quota");
	expect(codeOf(await at.wallet.subscribe())).toEqual([503, "gateway_unavailable"]);
	const before = (await ask("GET", "/card-subscriptions")).body["items"] as unknown[];
	const authorization_id = await at.wallet.payByCard("gone@example.com");
	await inTenant(at.database.db, at.tenants.uhai.id, (tx) =>
		tx.query("update card_authorizations set customer_code = 'CUS_gone' where id = $1", [authorization_id]),
	);
	const body = { plan_id: await at.wallet.makePlan(), authorization_id };
	expect(codeOf(await ask("POST", "/card-subscriptions", { body }))).toEqual([409, "gateway_refused"]);
	const { body: after } = await ask("GET", "/card-subscriptions");
	expect(after["items"]).toHaveLength(before.length + 1);
	const [first] = after["items"] as unknown[];
	expect(first).toMatchObject({ status: "failed", failure_code: "not_found" });
});

test("a card that expires is published for each subscription that charges it", async () => {
	const now = at.clock.now ?? new Date();
	const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1));
	const expiry = `${next.getUTCMonth() + 1}/${next.getUTCFullYear()}`;
	const { id, authorization_id } = (await at.wallet.subscribe({ expiry })).body;
	await becomes(id, { executions: 1 });
	await at.wait(63 * 86_400);
	const expiring = async () =>
		(await at.published("treasury.card.expiring", at.tenants.uhai)).filter(
			(one) => one["authorization_id"] === authorization_id,
		);
	await at.wallet.until(async () => (await expiring()).length > 0);
	expect(await expiring()).toMatchObject([
		{ brand: "visa", last4: "4081", expires_on: expect.any(String), payee: "tenant" },
	]);
});

test("what the gateway refunds of a charge of a subscription becomes a refund of its payment", async () => {
	const { id } = (await at.wallet.subscribe()).body;
	await becomes(id, { executions: 1 });
	const { body } = await ask("GET", `/intents?order_id=${id}`);
	const [intent] = body["items"] as Array<{ id: string }>;
	const paid = (await ask("GET", `/payments?intent_id=${intent?.id}`)).body["items"] as Array<{
		receipt: { receipt: string };
	}>;
	await fetch(`${at.cardGateway.url}/refund`, {
		method: "POST",
		headers: { authorization: "Bearer sk_test_lango_sandbox", "content-type": "application/json" },
		body: JSON.stringify({ transaction: paid[0]?.receipt.receipt }),
	});
	await at.wait(60);
	const refunded = async () => (await ask("GET", `/intents/${intent?.id}`)).body["refunded_minor"];
	await at.wallet.until(async () => (await refunded()) === 250_050);
});

test("the card of a deleted person is erased, and is not kept again when its subscription is charged; the subscription is stopped at the gateway", async () => {
	const { id, authorization_id } = (await at.wallet.subscribe()).body;
	await becomes(id, { executions: 1 });
	const deleted = randomUUID();
	await inTenant(at.database.db, at.tenants.uhai.id, (tx) =>
		tx.query("update card_authorizations set user_id = $1 where id = $2", [deleted, authorization_id]),
	);
	await at.transport.publish(
		testEvent(authUserDeleted, { subject: deleted, data: { user_id: deleted, version: 2 } }),
	);
	await becomes(id, { card: null });
	await at.wait(monthSeconds);
	await becomes(id, { executions: 2, card: null });
	await stopUnwanted();
	await becomes(id, { status: "non_renewing" });
	await at.wait(monthSeconds);
	await becomes(id, { executions: 2, status: "completed" });
});

const stopUnwanted = async () => {
	await at.service.jobs.run("card-subscriptions.stop.sweep");
	await at.service.jobs.runDue();
};

test("a charge of a subscription whose event was lost is counted when charges are compared", async () => {
	const authorization_id = await at.wallet.payByCard("lost@example.com");
	const plan_id = await at.wallet.makePlan();
	await fault("charge.success", "drop");
	const { id } = (await ask("POST", "/card-subscriptions", { body: { plan_id, authorization_id } })).body;
	const now = (at.clock.now ?? new Date()).getTime();
	const iat = Math.floor(now / 1_000);
	const range = { from: new Date(now - 86_400_000), to: new Date(now + 86_400_000) };
	await at.call({
		...{
			method: "POST",
			url: "/api/v1/platform/reconciliation/runs",
			body: { kind: "transactions", ...range },
		},
		token: at.token(at.tenants.lango, "superuser", { iat, exp: iat + 3_600 }),
	});
	await becomes(id, { executions: 1, status: "active" });
	const { body } = await ask("GET", `/intents?order_id=${id}`);
	expect(body["items"]).toMatchObject([{ status: "succeeded", received_minor: 250_050 }]);
});

test("the card subscriptions of a deleted tenant are stopped at the gateway, also if it does not answer at first, and no other ones", async () => {
	const { id } = (await at.wallet.subscribe()).body;
	await becomes(id, { executions: 1 });
	const stored = async () => {
		const [row] = await inTenant(at.database.db, at.tenants.uhai.id, (tx) =>
			tx.query<{ status: string }>("select status from card_subscriptions where id = $1", [id]),
		);
		return row?.status;
	};
	await at.wait(900);
	await stopUnwanted();
	expect(await stored()).toBe("active");
	const { id: tenant_id, slug } = at.tenants.uhai;
	const data = { tenant_id, slug, version: 9 };
	await at.transport.publish(
		testEvent(tenantDeleted, { subject: tenant_id, tenant: { id: tenant_id }, data }),
	);
	const cards = () =>
		inTenant(at.database.db, tenant_id, (tx) => tx.query("select from card_authorizations"));
	await expect.poll(cards).toEqual([]);
	await at.cards("PUT", "/_control/faults", [{ operation: "disable_subscription", fault: "maintenance" }]);
	await stopUnwanted();
	expect(await stored()).toBe("active");
	await at.cards("PUT", "/_control/faults", []);
	await at.wait(60);
	expect(await stored()).toBe("non_renewing");
});
