import { createHmac, generateKeyPairSync, randomInt, X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTenant } from "@lango/postgres";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { exceptionClasses } from "../src/exceptions/exception.ts";
import { certificateLeft } from "../src/measurements/certificate-left.ts";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../src/outcomes/evidence/payout-evidence.ts";
import type { RefundSaid } from "../src/outcomes/evidence/refund-evidence.ts";
import { addBill } from "./add-bill.ts";
import { addPayout, say as sayOfPayout } from "./payouts/add-payout.ts";
import { addTrade, charge, disputed, returnedAtGateway } from "./receive.ts";
import { addReversal } from "./refunding/add-reversal.ts";
import { newPhone, openTill } from "./till.ts";

const spool = mkdtempSync(join(tmpdir(), "lango-spool-"));
afterAll(() => rmSync(spool, { recursive: true }));
const till = setUp(() => openTill({ TREASURY_SPOOL_DIR: spool }));

/** The metrics of the service, by name and attributes. */
async function measure(): Promise<Record<string, number>> {
	const { body } = await till.service.app.inject({ url: "/metrics" });
	const lines = body.matchAll(
		/^(lango_(?:webhooks|attempts|payouts|exceptions|refunds|disputes|gateway|payments|fees)_\w+)\{([^}]*)\} (\S+)$/gm,
	);
	return Object.fromEntries(
		[...lines].map(([, name, attributes = "", value]) => {
			const shown = attributes.split(",").filter((one) => one.startsWith("lango_"));
			return [[name, shown.join(",")].filter(Boolean).join(" "), Number(value)];
		}),
	);
}

const openOf = (one: string) => `lango_exceptions_open lango_exception_class="${one}"`;

test("operators see webhooks that were refused, parked or not applied, and questions to gateways", async () => {
	expect(await measure()).toEqual({
		...{ lango_webhooks_unapplied_age_seconds: 0, lango_attempts_unknown_age_seconds: 0 },
		...{ lango_payouts_unknown_age_seconds: 0, lango_refunds_unknown_age_seconds: 0 },
		...{ 'lango_webhooks_parked lango_gateway="mobile_money"': 0 },
		...{ 'lango_webhooks_parked lango_gateway="card_gateway"': 0 },
		...{ lango_webhooks_parked_age_seconds: 0, lango_webhooks_duplicates_total: 0 },
		...{ 'lango_webhooks_spooled lango_spool_state="waiting"': 0 },
		...{ 'lango_webhooks_spooled lango_spool_state="aside"': 0, lango_webhooks_spooled_age_seconds: 0 },
		...Object.fromEntries(exceptionClasses.map((one) => [openOf(one), 0])),
		lango_gateway_certificate_left_seconds: expect.any(Number),
		...{ 'lango_webhooks_refused_total lango_gateway="mobile_money"': 0 },
		...{ 'lango_webhooks_refused_total lango_gateway="card_gateway"': 0 },
		...{ 'lango_attempts_queries_total lango_query_outcome="ended"': 0 },
		...{ 'lango_attempts_queries_total lango_query_outcome="open"': 0 },
		...{ lango_gateway_breakers_open: 0, lango_refunds_review: 0, lango_disputes_due: 0 },
	});
	const send = (headers: Record<string, string>) =>
		till.service.app.inject({
			...{ method: "POST", url: "/api/v1/webhooks/cardgateway", payload: "{}" },
			headers: { "content-type": "application/json", ...headers },
		});
	expect((await send({ "x-gateway-signature": "00" })).statusCode).toBe(401);
	expect((await measure())['lango_webhooks_refused_total lango_gateway="card_gateway"']).toBe(1);
});

/** Sends a callback, or a signed event, and applies it. */
async function deliver(url: string, body: object) {
	await store(url, body);
	await till.service.jobs.runDue();
}

async function store(url: string, body: object) {
	const payload = JSON.stringify(body);
	const signature = createHmac("sha512", defaultSecretKey).update(payload).digest("hex");
	const headers = { "content-type": "application/json", "x-cardgw-signature": signature };
	await till.service.app.inject({ method: "POST", url: `/api/v1/webhooks/${url}`, payload, headers });
}

test("operators see what is parked and since when, and what came again or was forged", async () => {
	for (let n = 0; n < 2; n++)
		await deliver("cardgateway", { event: "subscription.create", data: { subscription_code: "SUB_1" } });
	await deliver("cardgateway", { event: "charge.success", data: {} });
	await deliver("mobilemoney/callback", { forged: true });
	const { db } = till.database;
	await db.query("update webhook_deliveries set received_at = received_at - interval '2 hours'");
	await db.query(
		`insert into exceptions (id, class, subject, amount_minor, currency, ours, theirs, state, raised_at, resolution, because,
		   resolved_by, resolved_at)
		 values (gen_random_uuid(), 'amount', 'open', 1, 'KES', '{}', '{}', 'open', now(), null, null, null, null),
		        (gen_random_uuid(), 'amount', 'closed', 1, 'KES', '{}', '{}', 'closed', now(), 'waived', 'Known', 'root', now())`,
	);
	await till.wait(6);
	const seen = await measure();
	expect(seen).toMatchObject({
		...{ 'lango_webhooks_parked lango_gateway="card_gateway"': 2 },
		...{ 'lango_webhooks_refused_total lango_gateway="mobile_money"': 1 },
		...{ lango_webhooks_duplicates_total: 1, [openOf("amount")]: 1 },
	});
	expect(seen["lango_webhooks_parked_age_seconds"]).toBeGreaterThan(7_100);
});

/** A bill of 2,500.00 shillings of a tenant. */
async function newBill(): Promise<string> {
	const { uhai } = till.tenants;
	return (await inTenant(till.database.db, uhai.id, (tx) => addBill(tx, uhai.id))).operationId;
}

async function payBill(way: "push" | "checkout", operationId: string, body: object) {
	const { uhai } = till.tenants;
	const url = `/api/v1/${uhai.slug}/treasury/bills/${operationId}/${way}`;
	return (await till.call({ method: "POST", url, token: till.token(uhai, "admin"), body })).body;
}

/**
 * By how much the metrics that begin with a word grow while `work` runs; without the counts of a histogram
 * and the attributes of the scope.
 */
async function growthOf(word: string, work: () => Promise<void>): Promise<Record<string, number>> {
	const before = await measure();
	await work();
	const grown = Object.entries(await measure()).map(([name, value]) => [name, value - (before[name] ?? 0)]);
	return Object.fromEntries(
		grown.filter(
			([name, by]) => String(name).startsWith(word) && !/_(bucket|count) /.test(String(name)) && by !== 0,
		),
	);
}

/** A payer pays a bill at the card gateway, which keeps 60.00 shillings of it. */
async function payByCard(paidAt: Date): Promise<void> {
	const { reference } = await payBill("checkout", await newBill(), { email: "amina@example.com" });
	const data = { id: randomInt(2 ** 40), status: "success", reference, amount: 250_000, currency: "KES" };
	const paid = { channel: "card", fees: 6_000, paid_at: paidAt.toISOString() };
	await deliver("cardgateway", { event: "charge.success", data: { ...data, ...paid } });
}

/** Sets the clocks of the service and the gateways, which then do not move. */
async function stopClocks(): Promise<Date> {
	await till.wait(0);
	return till.clock.now ?? new Date();
}

/** How many callbacks the sandbox has sent or dropped. */
async function countCallbacks(): Promise<number> {
	const { items } = await till.sandbox("GET", "/_control/deliveries");
	return (items as object[]).length;
}

test("operators see how late a payment is known, by its webhook or by a question", async () => {
	onTestFinished(() => void till.sandbox("PUT", "/_control/faults", []));
	await till.sandbox("PUT", "/_control/faults", [{ operation: "push", fault: "drop" }]);
	const now = await stopClocks();
	const callbacks = await countCallbacks();
	const delays = await growthOf("lango_payments_confirmation_delay_seconds_sum", async () => {
		await payByCard(new Date(now.getTime() - 40_000));
		const push = await payBill("push", await newBill(), { phone: newPhone("accepts") });
		expect(push).toMatchObject({ status: "awaiting" });
		await expect.poll(countCallbacks).toBe(callbacks + 1);
		await till.wait(55);
	});
	expect(delays).toEqual({
		'lango_payments_confirmation_delay_seconds_sum lango_gateway="card_gateway",lango_evidence_source="delivery"':
			expect.closeTo(40, 0),
		'lango_payments_confirmation_delay_seconds_sum lango_gateway="mobile_money",lango_evidence_source="query"':
			expect.closeTo(55, 0),
	});
});

test("operators see what the card gateway keeps of charges beside what the table of fees says", async () => {
	const about = 'lango_fee_said_by="charge",lango_channel="card",lango_currency="KES"';
	expect(await growthOf("lango_fees", async () => payByCard(await stopClocks()))).toEqual({
		...{ [`lango_fees_estimated_total ${about}`]: 5_750, [`lango_fees_charged_total ${about}`]: 6_000 },
	});
});

test("operators see how long the certificate of the gateway is valid", async () => {
	const { db } = till.database;
	const [profile] = await db.query<{ certificate: string }>(
		"select certificate from gateway_profiles where kind = 'mobile_money'",
	);
	const { validToDate } = new X509Certificate(profile?.certificate ?? "");
	const now = new Date(validToDate.getTime() - 86_400_000);
	expect(certificateLeft(profile?.certificate ?? "", now)).toBe(86_400);
	const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	expect(certificateLeft(publicKey.export({ type: "spki", format: "pem" }).toString(), now)).toBeUndefined();
});

test("operators see what waits for a gateway or a person for an hour, and that calls to a gateway are stopped", async () => {
	const { db } = till.database;
	const { uhai } = till.tenants;
	// Half of twenty calls without an answer stop further ones, and leave attempts of which nothing is known.
	const fault = { operation: "initialize", fault: "reset_after_commit", count: 20 };
	await till.cards("PUT", "/_control/faults", [fault]);
	for (let n = 0; n < 20; n++) await payBill("checkout", await newBill(), { email: "amina@example.com" });
	const refundId = await returnedAtGateway(db, await charge(db, await addTrade(db, uhai.id)));
	await disputed(db, await charge(db, await addTrade(db, uhai.id)));
	const now = new Date((till.clock.now ?? new Date()).getTime() + 3_700_000);
	await inTenant(db, uhai.id, async (tx) => {
		await tx.query("update refunds set needs_review = true where id = $1", [refundId]);
		await tx.query("update disputes set due_at = $1", [new Date(now.getTime() + 47 * 3_600_000)]);
	});
	await store("cardgateway", { event: "charge.success", data: { id: 99 } });
	mkdirSync(spool, { recursive: true });
	writeFileSync(join(spool, "1.json.bad"), "{");
	till.clock.now = now;
	const seen = await measure();
	expect(seen).toMatchObject({
		...{ lango_gateway_breakers_open: 1, lango_refunds_review: 1, lango_disputes_due: 1 },
		'lango_webhooks_spooled lango_spool_state="aside"': 1,
	});
	for (const what of ["webhooks_unapplied", "attempts_unknown"])
		expect([what, Number(seen[`lango_${what}_age_seconds`]) > 3_600]).toEqual([what, true]);
});

/** For how many whole hours the outcome of the oldest payout and of the oldest refund is not known. */
async function unknownHours(): Promise<number[]> {
	till.clock.now = new Date((till.clock.now ?? new Date()).getTime() + 6_000);
	const seen = await measure();
	return ["payouts", "refunds"].map((what) =>
		Math.floor(Number(seen[`lango_${what}_unknown_age_seconds`]) / 3_600),
	);
}

test("operators see since when the outcome of the oldest payout and of the oldest refund is not known", async () => {
	const { db } = till.database;
	const tenantId = till.tenants.kahawa.id;
	const change = (what: "payouts" | "refunds", id: string, set: string) =>
		inTenant(db, tenantId, (tx) => tx.query(`update ${what} set ${set} where id = $1`, [id]));
	const start = till.clock.now ?? new Date();
	const sentBefore = (hours: number) => {
		const at = `timestamptz '${new Date(start.getTime() - (hours + 0.5) * 3_600_000).toISOString()}'`;
		return `created_at = ${at}, submitted_at = case when submitted_at is not null then ${at} end`;
	};
	const payOut = async (hours: number, said: readonly PayoutSaid[]) => {
		const { id } = await addPayout(db, tenantId, { shortcode: "600300", said });
		await change("payouts", id, sentBefore(hours));
		return id;
	};
	const refund = async (hours: number, said: readonly RefundSaid[]) => {
		const { id } = await addReversal(db, tenantId, { shortcode: "600300", said });
		await change("refunds", id, sentBefore(hours));
		return id;
	};
	// The refund of the test before has nothing to decide any more.
	await inTenant(db, till.tenants.uhai.id, (tx) => tx.query("update refunds set needs_review = false"));
	const sent: readonly PayoutSaid[] = [{ kind: "approved" }, { kind: "submitted" }];
	await payOut(9, []);
	await refund(9, []);
	const accepted = await payOut(8, [...sent, { kind: "in_flight" }]);
	const pending = await refund(7, [{ kind: "submitting" }, { kind: "accepted" }]);
	expect(await unknownHours()).toEqual([0, 0]);
	const payouts = [await payOut(3, sent), await payOut(2, [...sent, { kind: "unknown", because: "reset" }])];
	const refunds = [
		await refund(4, [{ kind: "submitting" }, { kind: "unknown", because: "reset" }]),
		await refund(1, [{ kind: "submitting" }]),
	];
	for (const hours of [
		[3, 4],
		[2, 1],
	]) {
		expect(await unknownHours()).toEqual(hours);
		const [payoutId = "", refundId = ""] = [payouts.shift(), refunds.shift()];
		await sayOfPayout(db, { tenantId, id: payoutId }, { kind: "failed", code: "2001" });
		const about = { tenantId, source: "query", sourceId: undefined, at: new Date() } as const;
		const refundSaid = { kind: "failed", code: "R000002" } as const;
		await inTenant(db, tenantId, (tx) => applyOutcome(tx, { ...about, refundId, refundSaid }));
	}
	expect(await unknownHours()).toEqual([0, 0]);
	// The gateway has them and says no more: the platform owner decides.
	await change("payouts", accepted, "needs_review = true");
	await change("refunds", pending, "needs_review = true");
	expect(await unknownHours()).toEqual([8, 7]);
});
