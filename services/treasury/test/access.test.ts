import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { printOutlets, printPolicy, type Scene, walkForeign } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findTenantGateway } from "../src/gateways/shortcodes/tenant-gateway.store.ts";
import { payUrlOf } from "../src/payments/pay-code.ts";
import { listPaymentsOf } from "../src/payments/payment.store.ts";
import { addBill, keys } from "./add-bill.ts";
import { fixture, startTestGateway } from "./gateways/test-gateway.ts";
import { addTrade, receive } from "./receive.ts";
import { giveShortcode, newPhone, openTill } from "./till.ts";

const gateway = setUp(startTestGateway, (started) => started.close());

const base = "/api/v1/:tenant/treasury";
let accounts = 0;
/** A recipient of an account of its own. */
function newRecipient() {
	gateway.answerWith(() => fixture("card-gateway/recipient"));
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

const policy = {
	base,
	samples: {
		[`POST ${base}/recipients`]: () => ({ body: newRecipient() }),
		[`DELETE ${base}/recipients/:id`]: async ({ make }: Scene) => ({
			params: { id: String((await make("POST", `${base}/recipients`, newRecipient())).id) },
		}),
		[`GET ${base}/bills/:operation_id`]: billOf,
		[`POST ${base}/bills/:operation_id/push`]: async (scene: Scene) => ({
			...(await billOf(scene)),
			body: { phone: newPhone("is silent") },
		}),
		[`POST ${base}/bills/:operation_id/checkout`]: async (scene: Scene) => {
			gateway.answerWith(() => fixture("card-gateway/initialized"));
			return { ...(await billOf(scene)), body: { email: "payer@example.com" } };
		},
		"GET /api/v1/pay/:code": codeOf,
		"POST /api/v1/pay/:code/push": async (scene: Scene) => ({
			...(await codeOf(scene)),
			body: { phone: newPhone("is silent") },
		}),
		"POST /api/v1/pay/:code/checkout": async (scene: Scene) => {
			gateway.answerWith(() => fixture("card-gateway/initialized"));
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
			gateway.answerWith(() => fixture("card-gateway/initialized"));
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
		"GET /api/v1/platform/accounts/:id/postings": () => ({ params: { id: crypto.randomUUID() } }),
	},
};
const stand = setUp(() => openTill({ CARDGW_URL: gateway.url, CARDGW_SECRET_KEY: "sk_test_1" }));

test("every route responds to every kind of caller as recorded in access.txt", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 120_000);

test("another tenant and its records are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(30);
}, 120_000);

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
