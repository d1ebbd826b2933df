import { createHmac, randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import { lockReturnable } from "../../src/outcomes/refunds/lock-returnable.ts";
import { applyRefundList } from "../../src/refunding/apply-refund-list.ts";
import { findOutRefund } from "../../src/refunding/find-out-refund.ts";
import { submitRefund } from "../../src/refunding/submit-refund.ts";
import { findRefund } from "../../src/refunds/refund.store.ts";
import type { Treasury } from "../../src/treasury.ts";
import { listRows } from "../inbox/delivery-rows.store.ts";
import { openTill } from "../till.ts";
import { openCards } from "./card-payments.ts";

const till = setUp(openTill);
const cards = () => openCards(till);
const secretKey = "sk_test_lango_sandbox";
const now = () => till.clock.now ?? new Date();

const setList = (isThere: boolean) =>
	till.database.db.query(
		`update gateway_profiles set settings = jsonb_set(settings, '{capabilities}',
		   coalesce(settings->'capabilities', '{}') || $1) where kind = 'card_gateway'`,
		[{ list_refunds: isThere }],
	);
afterEach(async () => {
	await setList(true);
	await till.cards("PUT", "/_control/faults", []);
});

/** Asks the gateway itself. */
async function atGateway(path: string, body: object): Promise<Record<string, unknown>> {
	const answer = await fetch(`${till.cardGateway.url}${path}`, {
		...{ method: "POST", body: JSON.stringify(body) },
		headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
	});
	return ((await answer.json()) as { data: Record<string, unknown> }).data;
}

/** Sends an event of the gateway, and returns what became of it. */
async function send(event: string, data: object) {
	const body = Buffer.from(JSON.stringify({ event, data: { currency: "KES", ...data } }));
	const signature = createHmac("sha512", secretKey).update(body).digest("hex");
	await till.call({
		...{ method: "POST", url: "/api/v1/webhooks/cardgateway", body },
		headers: { "x-cardgw-signature": signature },
	});
	await till.service.jobs.runDue();
	const { status, error } = (await listRows(till.database.db)).at(-1) ?? {};
	return { status, error };
}

/** A charge of 700.00 shillings that has no reference of ours. */
async function payElsewhere() {
	const reference = `shop-${randomUUID()}`;
	const { access_code } = await atGateway("/transaction/initialize", {
		...{ email: "amina@example.com", amount: 70_000, reference },
	});
	await till.cards("POST", `/_control/checkouts/${access_code}`, { action: "pay", channel: "card" });
	await leaves(reference, 70_000);
	return reference;
}

/** Waits until so much of a charge is in suspense. */
const leaves = (reference: string, minor: number) =>
	expect
		.poll(async () => {
			await till.service.jobs.runDue();
			const rows = await inTenant(till.database.db, till.tenants.lango.id, (tx) =>
				tx.query(
					"select (amount_minor - allocated_minor - refunded_minor)::int as minor from receipts where account_ref = $1",
					[reference],
				),
			);
			return rows[0]?.["minor"];
		})
		.toBe(minor);

test("a refund of a charge without a reference of ours is taken from suspense, and disputed as well it is debt of the platform owner", async () => {
	const reference = await payElsewhere();
	await atGateway("/refund", { transaction: reference, amount: 30_000 });
	await leaves(reference, 40_000);
	await till.wait(20);
	await expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return (await till.balances(till.tenants.lango))["tenant.refunding"] ?? 0;
		})
		.toBe(0);
	await till.cards("POST", "/_control/dispute", { reference });
	await leaves(reference, 0);
	expect(await till.balances(till.tenants.lango)).toMatchObject({
		...{ "tenant.disputed": 70_000, "tenant.debt": 30_000 },
	});
});

const statusOf = async (id: unknown) => (await cards().refundNow(id))["status"];

test("without the gateway's list an event that may be of several refunds is parked, also if one of them has ended", async () => {
	await setList(false);
	const { paymentId, reference } = await cards().pay();
	await till.cards("PUT", "/_control/faults", [
		...["pending", "processing", "processed"].map((one) => ({ operation: `refund.${one}`, fault: "drop" })),
	]);
	const ids = [];
	for (const reason of ["One dish was missing", "Another dish was missing"])
		ids.push((await cards().refund({ payment_id: paymentId, amount_minor: 40_000, reason })).body["id"]);
	for (const id of ids) await cards().becomes(id, "pending");
	const about = { transaction_reference: reference, amount: 40_000 };
	const several = { status: "parked", error: "several refunds have this amount" };
	expect(await send("refund.processed", about)).toEqual(several);
	expect(await Promise.all(ids.map(statusOf))).toEqual(["pending", "pending"]);
	await applied(ids[0], { kind: "processed" });
	expect(await send("refund.failed", about)).toEqual(several);
	expect(await statusOf(ids[1])).toBe("pending");
});

test("an event that names a refund by its id is of this one, and of another id it was made at the gateway", async () => {
	await setList(false);
	const { paymentId, reference, receiptId } = await cards().pay();
	await till.cards("PUT", "/_control/faults", [{ operation: "refund.pending", fault: "drop" }]);
	const { body } = await cards().refund({ payment_id: paymentId, amount_minor: 40_000 });
	await cards().becomes(body["id"], "pending");
	const stored = await found(body["id"]);
	// The clock was stopped: of two refunds of one moment, neither is the newer one.
	await till.wait(1);
	const about = { transaction_reference: reference, amount: 40_000 };
	await send("refund.needs-attention", { ...about, id: `${stored?.gatewayRef}9` });
	expect(await statusOf(body["id"])).toBe("pending");
	await send("refund.needs-attention", { ...about, id: stored?.gatewayRef });
	expect(await statusOf(body["id"])).toBe("needs_attention");
	const listed = await cards().ask("GET", `/refunds?receipt_id=${receiptId}`);
	expect(listed.body["items"]).toMatchObject([{ origin: "gateway" }, { origin: "request" }]);
});

const inIt: <T>(work: Parameters<typeof inTenant<T>>[2]) => Promise<T> = (work) =>
	inTenant(till.database.db, till.tenants.uhai.id, work);
const found = (id: unknown) => inIt((tx) => findRefund(tx, String(id)));
const applied = (id: unknown, refundSaid: Parameters<typeof saying>[1]) =>
	inIt((tx) => applyOutcome(tx, saying(id, refundSaid)));

const saying = (id: unknown, refundSaid: { kind: "processed" } | { kind: "submitting" }) => ({
	...{ tenantId: till.tenants.uhai.id, refundId: String(id), refundSaid },
	...{ source: "query" as const, sourceId: undefined, at: now() },
});

/** What the operations on refunds need, with a card gateway that cannot be opened. */
const broken = () =>
	({
		...{ db: till.database.db, now, log: { error: () => undefined, warn: () => undefined } },
		gateways: { findCardGateway: () => Promise.reject(new Error("the key is missing")) },
	}) as unknown as Treasury;

test("a refund whose sending throws after it was stored as being submitted is unknown, and the gateway is asked", async () => {
	const { paymentId } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId });
	await submitRefund(broken(), { tenantId: till.tenants.uhai.id, refundId: String(body["id"]) });
	expect(await found(body["id"])).toMatchObject({ status: "unknown", nextCheckAt: expect.any(Date) });
});

test("a refund of the gateway that was matched with an equal one, whose sending was lost, is not counted again by its own answer", async () => {
	const { paymentId, receiptId, reference } = await cards().pay();
	const request = async () =>
		(await cards().refund({ payment_id: paymentId, amount_minor: 40_000 })).body["id"];
	const submitting = (refundId: unknown) => ({
		tenantId: till.tenants.uhai.id,
		refundId: String(refundId),
	});
	const lost = await request();
	await submitRefund(broken(), submitting(lost));
	// The clock was stopped: of two refunds of one moment, neither is the older one.
	await till.wait(1);
	const sent = await request();
	// The gateway lists what it has before its answer is applied.
	const send = async () => {
		const { id } = await atGateway("/refund", { transaction: reference, amount: 40_000 });
		const entry = { id: String(id), status: "pending", amountMinor: 40_000n, currency: "KES" };
		const ids = { ...entry, transactionId: undefined, transactionReference: undefined };
		await inIt(async (tx) => {
			const returnable = await lockReturnable(tx, till.tenants.uhai.id, receiptId);
			if (returnable === undefined) throw new Error("the receipt was not found");
			const { receipt } = returnable;
			await applyRefundList(tx, { receipt, listed: [ids], source: "query", sourceId: undefined, now: now() });
		});
		return { is: "accepted", ids };
	};
	const gateways = { findCardGateway: () => Promise.resolve({ send }) };
	await submitRefund({ ...broken(), gateways } as unknown as Treasury, submitting(sent));
	expect((await found(lost))?.gatewayRef).toEqual(expect.any(String));
	expect(await found(sent)).toMatchObject({ status: "unknown", gatewayRef: null });
	await till.wait(20);
	await cards().becomes(lost, "processed");
	await till.wait(100);
	await cards().becomes(sent, "unknown");
	expect((await cards().ask("GET", `/refunds?receipt_id=${receiptId}`)).body["items"]).toHaveLength(2);
});

test("a refund of which the gateway states another amount continues, and both amounts are an exception, once", async () => {
	const { paymentId, receiptId } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId });
	const stated = { id: "7001", amountMinor: 103_500n, currency: "KES", transactionReference: undefined };
	const ids = { ...stated, status: "pending", transactionId: undefined };
	const gateways = { findCardGateway: async () => ({ send: async () => ({ is: "accepted", ids }) }) };
	const submitting = { tenantId: till.tenants.uhai.id, refundId: String(body["id"]) };
	await submitRefund({ ...broken(), gateways } as unknown as Treasury, submitting);
	expect(await found(body["id"])).toMatchObject({ status: "pending", gatewayRef: "7001" });
	const listed = [{ ...ids, status: "processed" }];
	await inIt(async (tx) => {
		const returnable = await lockReturnable(tx, till.tenants.uhai.id, receiptId);
		if (returnable === undefined) throw new Error("the receipt was not found");
		const { receipt } = returnable;
		await applyRefundList(tx, { receipt, listed, source: "query", sourceId: undefined, now: now() });
	});
	expect(await found(body["id"])).toMatchObject({ status: "processed", amountMinor: 100_000n });
	expect((await cards().ask("GET", `/refunds?receipt_id=${receiptId}`)).body["items"]).toHaveLength(1);
	const raised = await till.database.db.query(
		"select class, amount_minor::int, ours->>'amount_minor' as ours, theirs from exceptions where subject = $1",
		[`refund ${body["id"]}`],
	);
	expect(raised).toEqual([
		{
			...{ class: "amount", amount_minor: 103_500, ours: "100000" },
			theirs: { refund: "7001", amount_minor: 103_500 },
		},
	]);
});

test("a refund that is found as being submitted is unknown", async () => {
	const { paymentId } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId });
	await applied(body["id"], { kind: "submitting" });
	await till.wait(100);
	await till.service.jobs.run("refunds.query.sweep");
	await till.service.jobs.runDue();
	expect(await found(body["id"])).toMatchObject({ status: "unknown", nextCheckAt: expect.any(Date) });
});

test("a refund that ends while the gateway is asked about it is not asked about again", async () => {
	const { paymentId } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId });
	await applied(body["id"], { kind: "submitting" });
	await inIt((tx) =>
		tx.query("update refunds set method = 'reversal', status = 'unknown', rank = 2 where id = $1", [
			body["id"],
		]),
	);
	const [locked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const processed = inIt(async (tx) => {
		await applyOutcome(tx, saying(body["id"], { kind: "processed" }));
		locked.resolve();
		await gate.promise;
	});
	await locked.promise;
	const asked = findOutRefund(broken(), { tenantId: till.tenants.uhai.id, refundId: String(body["id"]) });
	await waitForBlockedQueries(till.database.db);
	gate.resolve();
	await Promise.all([processed, asked]);
	expect(await found(body["id"])).toMatchObject({ status: "processed", nextCheckAt: null });
});
