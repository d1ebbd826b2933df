import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { printOutlets, printPolicy, type Scene, walkForeign, walkTotals } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { keepCard } from "../src/card-authorizations/keep-card.ts";
import { findTenantGateway } from "../src/gateways/shortcodes/tenant-gateway.store.ts";
import { payUrlOf } from "../src/payments/pay-code.ts";
import { listPaymentsOf } from "../src/payments/payment.store.ts";
import { addBill, keys } from "./add-bill.ts";
import { fixture, startTestGateway } from "./gateways/test-gateway.ts";
import { addBatch, addPayout } from "./payouts/add-payout.ts";
import { makeAvailable } from "./payouts/paying.ts";
import { addTrade, charge, disputed, receive, returnedAtGateway } from "./receive.ts";
import { giveShortcode, newPhone, openTill } from "./till.ts";
import { waitingSamples } from "./waiting-for-owner.ts";

/** What the card gateway answers, by the path of the call. */
const answers: Readonly<Record<string, string>> = {
	"/bank": "banks",
	"/transferrecipient": "recipient",
	"/transaction/initialize": "initialized",
	"/plan": "plan",
	"/page": "page",
	"/transfer/finalize_transfer": "transfer",
	"/transfer/resend_otp": "otp-resent",
	"/subscription": "subscription",
	"/subscription/disable": "subscription-disabled",
	"/subscription/enable": "subscription-disabled",
};
const gateway = setUp(
	async () => {
		const started = await startTestGateway();
		started.answerWith(({ url }) => {
			const [path = ""] = url.split("?");
			const answer = answers[path];
			return answer === undefined
				? fixture("card-gateway/not-found", 404)
				: fixture(`card-gateway/${answer}`);
		});
		return started;
	},
	(started) => started.close(),
);

const base = "/api/v1/:tenant/treasury";
let accounts = 0;
/** A recipient of an account of its own. */
function newRecipient() {
	accounts += 1;
	const account_number = String(100_000_000 + accounts);
	return { type: "bank", name: "Recipient", account_number, bank_code: "68", currency: "KES" };
}

/** A bill of the tenant. */
async function addBillOf({ tenant }: Scene) {
	const { db } = stand.database;
	await ensureTenant(db, tenant.id);
	return inTenant(db, tenant.id, (tx) => addBill(tx, tenant.id));
}

const billOf = async (scene: Scene) => ({ params: { operation_id: (await addBillOf(scene)).operationId } });

/** A receipt that pays a request of the tenant's own trade. */
async function addReceiptOf({ tenant }: Scene) {
	const { id: intentId } = await addTrade(stand.database.db, tenant.id);
	return receive(stand.database.db, tenant.id, { intentId });
}

const receiptOf = async (scene: Scene) => ({ params: { id: (await addReceiptOf(scene)).id } });

const codeOf = async (scene: Scene) => {
	const address = payUrlOf(await addBillOf(scene), { keys, settings: { consoleUrl: "" } });
	return { params: { code: address.slice("/pay/".length) } };
};

/** A payment by card of a request of the tenant's own trade. */
async function addCardPayment({ tenant }: Scene): Promise<string> {
	const { db } = stand.database;
	const { id } = await charge(db, await addTrade(db, tenant.id));
	const [payment] = await inTenant(db, tenant.id, (tx) => listPaymentsOf(tx, [id]));
	return String(payment?.id);
}

/** A refund that the gateway made of a payment of the tenant. */
async function addRefundOf({ tenant }: Scene): Promise<string> {
	const { db } = stand.database;
	return returnedAtGateway(db, await charge(db, await addTrade(db, tenant.id)));
}

/** A dispute that is overdue. */
const disputeOf = async ({ tenant }: Scene) => {
	const { db } = stand.database;
	const receipt = await charge(db, await addTrade(db, tenant.id));
	return { params: { id: await disputed(db, receipt, { dueAt: new Date() }) } };
};
const disputeWith = (body: object) => async (scene: Scene) => ({ ...(await disputeOf(scene)), body });

/** A payout that waits for its approval. */
async function payoutOf({ tenant }: Scene) {
	const { db } = stand.database;
	await makeAvailable(db, tenant.id, { amountMinor: 100_000n });
	return { params: { id: (await addPayout(db, tenant.id)).id } };
}

let shortcodes = 0;
/** A tenant that has none is given a shortcode of its own. */
async function ensureShortcode(tenant: PublicTenant) {
	const { db } = stand.database;
	if ((await inTenant(db, tenant.id, findTenantGateway)) !== undefined) return;
	shortcodes += 1;
	const shortcode = String(700_500 + shortcodes);
	await stand.sandbox("PUT", "/_control/shortcodes", [{ shortcode, name: tenant.name, kind: "paybill" }]);
	await giveShortcode(db, tenant, { shortcode, kind: "paybill" });
}

/** The gateway is asked as often as the tables need it. */
const allowManyCalls = () =>
	stand.database.db.query(
		`update gateway_profiles set settings = settings || '{"per_second": 1000}' where kind = 'mobile_money'`,
	);

/** An intent of the tenant's own trade. A tenant without a shortcode is given one, for prompts. */
async function intentOf({ make, tenant }: Scene) {
	await ensureShortcode(tenant);
	const { id } = await make("POST", `${base}/intents`, newIntent);
	return { params: { id: String(id) } };
}
const newIntent = { amount_minor: 10_000, currency: "KES", description: "An order" };

const newOrder = () => ({
	...{ phone: newPhone("is silent"), amount_minor: 10_000, frequency: "monthly", description: "School fees" },
	...{ start_on: dayFromNow(2), end_on: dayFromNow(60) },
});
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const keyHeader = () => ({ "idempotency-key": crypto.randomUUID() });

/** A standing order to the tenant's shortcode. */
async function orderOf({ tenant, send }: Scene) {
	await ensureShortcode(tenant);
	await allowManyCalls();
	const request = { method: "POST", url: `${base}/standing-orders`, body: newOrder(), headers: keyHeader() };
	return { params: { id: String((await send(request)).id) } };
}
const newPlan = { name: "Growth", interval: "monthly", amount_minor: 500_000, currency: "KES" };

/** A card that paid, and a plan by which it can be charged. */
async function newCardSubscription({ tenant, make }: Scene) {
	const { db } = stand.database;
	cards += 1;
	const plan_id = String((await make("POST", `${base}/plans`, newPlan)).id);
	const shown = { brand: "visa", last4: "4081", expMonth: 12, expYear: 2035 };
	const card = { ...shown, code: "AUTH_1", customerCode: `CUS_${cards}` };
	const { id: tenantId } = tenant;
	const [kept] = await inTenant(db, tenantId, async (tx) => {
		await keepCard(tx, { tenantId, payee: "tenant", userId: null, card, keys, now: new Date() });
		return tx.query<{ id: string }>("select id from card_authorizations where customer_code = $1", [
			card.customerCode,
		]);
	});
	return { body: { plan_id, authorization_id: String(kept?.id) } };
}
let cards = 0;

/** A card subscription of the tenant's own trade. */
async function cardSubscriptionOf(scene: Scene) {
	const { body } = await newCardSubscription(scene);
	const { id } = await scene.make("POST", `${base}/card-subscriptions`, body);
	return { params: { id: String(id) } };
}
const unknown = () => ({ params: { id: crypto.randomUUID() } });

/** The secrets of each gateway as they are, so that later calls still succeed. */
const secretsOf = {
	"card-gateway": { secret_key: "sk_test_1" },
	"mobile-money": {
		...{ consumer_key: "sandbox-consumer-key", consumer_secret: "sandbox-consumer-secret" },
		passkey: "sandbox-passkey",
	},
};

/** The operator's changes to a gateway. */
const profileSamples = (kind: keyof typeof secretsOf) => {
	const url = `/api/v1/platform/gateways/${kind}`;
	const body = { secrets: secretsOf[kind] };
	return {
		[`PUT ${url}`]: () => ({ body: { settings: { per_second: 1_000 } } }),
		[`POST ${url}/rotate`]: () => ({ body }),
		[`POST ${url}/retire`]: async ({ make }: Scene) => {
			const { credentials } = await make("POST", `${url}/rotate`, body);
			const retiring = (credentials as Retiring[]).find(({ retires_at }) => retires_at !== null);
			return { body: { credential_id: retiring?.id } };
		},
	};
};
type Retiring = { id: string; retires_at: string | null };
const aDay = { from: "2026-11-24T00:00:00Z", to: "2026-11-25T00:00:00Z" };

const policy = {
	base,
	samples: {
		...profileSamples("card-gateway"),
		...profileSamples("mobile-money"),
		...waitingSamples(() => stand.database.db),
		[`PUT ${base}/gateway`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			const found = await inTenant(stand.database.db, tenant.id, findTenantGateway);
			const { shortcode, kind, initiatorName: initiator_name } = found ?? {};
			return { body: { shortcode, kind, initiator_name } };
		},
		[`PUT ${base}/payout-config`]: () => ({ body: { schedule: "manual", minimum_minor: 0 } }),
		"POST /api/v1/platform/inbox/replay": () => ({ body: { ...aDay, status: "parked" } }),
		[`POST ${base}/recipients`]: () => ({ body: newRecipient() }),
		[`DELETE ${base}/recipients/:id`]: async ({ make }: Scene) => ({
			params: { id: String((await make("POST", `${base}/recipients`, newRecipient())).id) },
		}),
		[`POST ${base}/payouts`]: async ({ tenant, make }: Scene) => {
			await makeAvailable(stand.database.db, tenant.id, { amountMinor: 100_000n });
			const recipient_id = String((await make("POST", `${base}/recipients`, newRecipient())).id);
			const headers = { "idempotency-key": crypto.randomUUID() };
			return { headers, body: { rail: "card_gateway", recipient_id, amount_minor: 100_000 } };
		},
		[`POST ${base}/payouts/bulk`]: async ({ tenant, make }: Scene) => {
			await makeAvailable(stand.database.db, tenant.id, { amountMinor: 100_000n });
			const recipient_id = String((await make("POST", `${base}/recipients`, newRecipient())).id);
			const headers = { "idempotency-key": crypto.randomUUID() };
			return { headers, body: { items: [{ rail: "card_gateway", recipient_id, amount_minor: 100_000 }] } };
		},
		[`POST ${base}/payouts/bulk/:id/approve`]: async ({ tenant }: Scene) => ({
			params: { id: await addBatch(stand.database.db, tenant.id) },
		}),
		[`GET ${base}/payouts/:id`]: payoutOf,
		[`POST ${base}/payouts/:id/approve`]: payoutOf,
		[`POST ${base}/payouts/:id/reject`]: async (scene: Scene) => ({
			...(await payoutOf(scene)),
			body: { because: "The account is wrong" },
		}),
		[`POST ${base}/payouts/:id/cancel`]: payoutOf,
		[`GET ${base}/bills/:operation_id`]: billOf,
		[`POST ${base}/bills/:operation_id/push`]: async (scene: Scene) => ({
			...(await billOf(scene)),
			body: { phone: newPhone("is silent") },
		}),
		[`POST ${base}/bills/:operation_id/checkout`]: async (scene: Scene) => {
			return { ...(await billOf(scene)), body: { email: "payer@example.com" } };
		},
		"GET /api/v1/pay/:code": codeOf,
		"POST /api/v1/pay/:code/push": async (scene: Scene) => ({
			...(await codeOf(scene)),
			body: { phone: newPhone("is silent") },
		}),
		"POST /api/v1/pay/:code/checkout": async (scene: Scene) => {
			return { ...(await codeOf(scene)), body: { email: "payer@example.com" } };
		},
		[`POST ${base}/intents`]: () => ({ body: newIntent }),
		[`GET ${base}/intents/:id`]: intentOf,
		[`POST ${base}/intents/:id/cancel`]: intentOf,
		[`POST ${base}/intents/:id/refresh`]: intentOf,
		[`POST ${base}/intents/:id/qr`]: async (scene: Scene) => ({ ...(await intentOf(scene)), body: {} }),
		[`POST ${base}/qr`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			await allowManyCalls();
			return { body: { reference: "COUNTER-1", trx_code: "PB" } };
		},
		[`POST ${base}/intents/:id/checkout`]: async (scene: Scene) => {
			return { ...(await intentOf(scene)), body: { email: "payer@example.com" } };
		},
		[`POST ${base}/intents/:id/push`]: async (scene: Scene) => ({
			...(await intentOf(scene)),
			body: { phone: newPhone("is silent") },
		}),
		[`GET ${base}/payments/:id`]: async (scene: Scene) => {
			const { tenantId, id } = await addReceiptOf(scene);
			const [payment] = await inTenant(stand.database.db, tenantId, (tx) => listPaymentsOf(tx, [id]));
			return { params: { id: String(payment?.id) } };
		},
		[`GET ${base}/receipts/:id`]: receiptOf,
		[`POST ${base}/receipts/:id/verify`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			await allowManyCalls();
			const { db } = stand.database;
			const { shortcode } = (await inTenant(db, tenant.id, findTenantGateway)) ?? {};
			const receipt = await receive(db, tenant.id, { isTrusted: false, ...(shortcode && { shortcode }) });
			return { params: { id: receipt.id } };
		},
		[`POST ${base}/receipts/:id/allocate`]: async ({ tenant }: Scene) => ({
			params: { id: (await receive(stand.database.db, tenant.id)).id },
			body: { intent_id: (await addTrade(stand.database.db, tenant.id)).id },
		}),
		[`POST ${base}/standing-orders`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			await allowManyCalls();
			return { headers: keyHeader(), body: newOrder() };
		},
		[`GET ${base}/standing-orders/:id`]: orderOf,
		[`POST ${base}/standing-orders/:id/stop`]: orderOf,
		[`POST ${base}/plans`]: () => ({ body: newPlan }),
		[`POST ${base}/payment-pages`]: () => ({
			body: { name: "School fees", description: "Term one", currency: "KES" },
		}),
		[`POST ${base}/card-subscriptions`]: newCardSubscription,
		[`GET ${base}/card-subscriptions/:id`]: cardSubscriptionOf,
		[`POST ${base}/card-subscriptions/:id/disable`]: cardSubscriptionOf,
		[`POST ${base}/card-subscriptions/:id/enable`]: async (scene: Scene) => {
			const found = await cardSubscriptionOf(scene);
			await inTenant(stand.database.db, scene.tenant.id, (tx) =>
				tx.query("update card_subscriptions set status = 'non_renewing' where id = $1", [found.params.id]),
			);
			return found;
		},
		[`POST ${base}/refunds`]: async (scene: Scene) => ({
			body: { payment_id: await addCardPayment(scene), reason: "A mistake", amount_minor: 100 },
			headers: { "idempotency-key": crypto.randomUUID() },
		}),
		[`POST ${base}/reversals`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			const { db } = stand.database;
			const { shortcode } = (await inTenant(db, tenant.id, findTenantGateway)) ?? {};
			const { receipt } = await receive(db, tenant.id, { ...(shortcode && { shortcode }) });
			return {
				body: { receipt: String(receipt), remarks: "A mistake" },
				headers: { "idempotency-key": crypto.randomUUID() },
			};
		},
		"POST /api/v1/platform/refunds/:id/resolve": async (scene: Scene) => {
			const id = await addRefundOf(scene);
			await inTenant(stand.database.db, scene.tenant.id, (tx) =>
				tx.query("update refunds set needs_review = true where id = $1", [id]),
			);
			return { params: { id }, body: { as: "processed", because: "The bank says so" } };
		},
		"POST /api/v1/platform/disputes/:id/resolve": disputeWith({ as: "lost", because: "The bank says so" }),
		[`GET ${base}/refunds/:id`]: async (scene: Scene) => ({ params: { id: await addRefundOf(scene) } }),
		[`GET ${base}/disputes/:id`]: disputeOf,
		[`PUT ${base}/disputes/:id/note`]: disputeWith({ text: "It was delivered" }),
		[`PUT ${base}/billing-method`]: () => ({ body: { kind: "none" } }),
		[`POST ${base}/mobile-money/urls`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			return {};
		},
		[`POST ${base}/mobile-money/simulate`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			// A phone without money: nothing arrives.
			return { body: { amount_minor: 10_000, phone: "254712000100", account: "INV-1" } };
		},
		[`POST ${base}/mobile-money/balance`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			await allowManyCalls();
			return {};
		},
		[`POST ${base}/mobile-money/status`]: async ({ tenant }: Scene) => {
			await ensureShortcode(tenant);
			await allowManyCalls();
			return { body: { receipt: "SGL91XYZ12" } };
		},
		[`GET ${base}/mobile-money/queries/:id`]: async ({ tenant, make }: Scene) => {
			await ensureShortcode(tenant);
			await allowManyCalls();
			return { params: { id: String((await make("POST", `${base}/mobile-money/balance`, {})).id) } };
		},
		"GET /api/v1/platform/accounts/:id/postings": async ({ make }: Scene) => {
			const { items } = await make("GET", "/api/v1/platform/accounts");
			return { params: { id: String((items as Array<{ id: string }>)[0]?.id) } };
		},
		"PUT /api/v1/platform/accounts/:id/shards": () => ({ ...unknown(), body: { shards: 8 } }),
		"POST /api/v1/platform/settlements/fetch": () => ({ body: aDay }),
		"POST /api/v1/platform/reconciliation/runs": () => ({ body: { kind: "balances", ...aDay } }),
		"POST /api/v1/platform/statements": () => ({
			...{ query: "?source=bank", headers: { "content-type": "text/csv" } },
			body: Buffer.from("date,amount,reference\n"),
		}),
		"POST /api/v1/platform/adjustments": () => ({
			body: { purpose: "top_up", currency: "KES", amount_minor: 100, because: "A test." },
		}),
	},
};
const stand = setUp(() => openTill({ CARDGW_URL: gateway.url, CARDGW_SECRET_KEY: "sk_test_1" }));

test("every route responds to every kind of caller as recorded in access.txt", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 240_000);

test("the total of a list is the number of its items", async () => {
	const { called, wrong } = await walkTotals(stand, policy);
	expect(wrong).toEqual([]);
	expect(called).toBeGreaterThan(2);
}, 60_000);

test("another tenant and its records are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(30);
}, 240_000);

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 240_000);
