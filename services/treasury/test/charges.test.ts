import { createHmac, randomUUID } from "node:crypto";
import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import type { Paid } from "../src/outcomes/evidence/evidence.ts";
import type { Receipt } from "../src/receipts/receipt.ts";
import { verifyReference } from "../src/recovery/ask-checkout.ts";
import { addBill } from "./add-bill.ts";
import { listRows } from "./inbox/delivery-rows.store.ts";
import { findViolations } from "./ledger/invariants.ts";
import { addTrade, charge } from "./receive.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);
afterEach(() => till.cards("PUT", "/_control/faults", []));

const secretKey = "sk_test_lango_sandbox";

/** A bill of 2,500.00 shillings, and its checkout. */
async function newCheckout() {
	const { uhai } = till.tenants;
	const bill = await inTenant(till.database.db, uhai.id, (tx) => addBill(tx, uhai.id));
	const { body } = await till.call({
		...{ method: "POST", url: `/api/v1/${uhai.slug}/treasury/bills/${bill.operationId}/checkout` },
		...{ token: till.token(uhai, "admin"), body: { email: "amina@example.com" } },
	});
	return { intentId: bill.id, reference: String(body["reference"]), accessCode: String(body["access_code"]) };
}

const pay = (accessCode: string) =>
	till.cards("POST", `/_control/checkouts/${accessCode}`, { action: "pay", channel: "card" });

const lose = (fault = "drop") =>
	till.cards("PUT", "/_control/faults", [{ operation: "charge.success", fault, count: 1 }]);

/** Sends an event of the gateway; `key` signs it. */
async function send(data: object, key = secretKey) {
	const body = Buffer.from(JSON.stringify({ event: "charge.success", data }));
	const signature = createHmac("sha512", key).update(body).digest("hex");
	const answer = await till.call({
		...{ method: "POST", url: "/api/v1/webhooks/cardgateway", body },
		headers: { "x-cardgw-signature": signature },
	});
	await till.service.jobs.runDue();
	return answer.status;
}

let charges = 0;
const chargeOf = (reference: string, members: object = {}) => {
	charges += 1;
	return {
		...{ id: 5_000_000_000 + charges, status: "success", reference, amount: 250_000, currency: "KES" },
		...{ requested_amount: 250_000, channel: "card", fees: 5_750, paid_at: new Date().toISOString() },
		...members,
	};
};

async function stored(intentId: string) {
	const [row] = await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query<{ status: string; attempt: string; receipts: number; unallocated: number }>(
			`select i.status, a.status as attempt,
			   (select count(*)::int from receipts r where r.tenant_id = $2 and r.attempt_id = a.id) as receipts,
			   (select count(*)::int from receipts r where r.tenant_id = $2 and r.attempt_id = a.id and r.allocated_minor < r.amount_minor) as unallocated
			  from intents i join attempts a on a.tenant_id = i.tenant_id and a.intent_id = i.id where i.tenant_id = $2 and i.id = $1`,
			[intentId, till.tenants.uhai.id],
		),
	);
	return row;
}

/** What is stored once the jobs that are due have run. */
const settled = (intentId: string) => async () => {
	await till.service.jobs.runDue();
	return stored(intentId);
};

const exceptions = async (query = "") => {
	const { body } = await till.call({
		...{ method: "GET", url: `/api/v1/platform/reconciliation/exceptions${query}` },
		token: till.token(till.tenants.lango, "superuser"),
	});
	return body["items"] as Array<Record<string, unknown>>;
};

const paid = { status: "succeeded", attempt: "succeeded", receipts: 1 };
const untouched = { status: "processing", attempt: "awaiting", receipts: 0 };

test("a charge pays the bill by its event, and the same event again or verify adds nothing", async () => {
	const { intentId, reference, accessCode } = await newCheckout();
	await pay(accessCode);
	await expect.poll(settled(intentId)).toMatchObject(paid);
	await till.call({ method: "GET", url: `/api/v1/payments/callback?reference=${reference}` });
	expect(await stored(intentId)).toMatchObject(paid);
});

test("an event that another key signed is refused, and adds nothing", async () => {
	const { intentId, reference } = await newCheckout();
	expect(await send(chargeOf(reference), "sk_test_other")).toBe(401);
	expect(await stored(intentId)).toMatchObject(untouched);
});

const disagreements = {
	"a smaller amount": { amount: 100_000, requested_amount: 100_000 },
	"another currency": { currency: "USD" },
	"another tenant": { metadata: { tenant_id: "0198c0de-0000-7000-8000-000000000000" } },
	"an amount above the limit": { amount: 20_000_000, requested_amount: 20_000_000 },
};
test.each(Object.entries(disagreements))(
	"an event with %s is not applied before the gateway confirms it",
	async (_what, members) => {
		const { intentId, reference } = await newCheckout();
		expect(await send(chargeOf(reference, members))).toBe(200);
		expect(await stored(intentId)).toMatchObject(untouched);
		expect((await listRows(till.database.db)).at(-1)).toMatchObject({
			...{ status: "parked", error: "the gateway does not confirm the charge" },
		});
	},
);

test("an event with another amount is applied with the amount that the gateway confirms", async () => {
	const { intentId, reference, accessCode } = await newCheckout();
	await lose();
	const verified = await pay(accessCode);
	expect(await send(chargeOf(reference, { id: verified["id"], amount: 1, requested_amount: 1 }))).toBe(200);
	expect(await stored(intentId)).toMatchObject(paid);
});

test("while the gateway does not answer, an event that disagrees waits and is tried again", async () => {
	const { intentId, reference, accessCode } = await newCheckout();
	await lose();
	const { id } = await pay(accessCode);
	await till.cards("PUT", "/_control/faults", [{ operation: "verify", fault: "maintenance", count: 1 }]);
	await send(chargeOf(reference, { id, amount: 1, requested_amount: 1 }));
	expect((await listRows(till.database.db)).at(-1)).toMatchObject({ status: "received" });
	expect(await stored(intentId)).toMatchObject(untouched);
	await expect.poll(settled(intentId), { timeout: 20_000 }).toMatchObject(paid);
});

test("a charge of less than was asked for counts, leaves the bill open, and raises an exception once", async () => {
	const { intentId, reference, accessCode } = await newCheckout();
	await lose("mutate_amount");
	await pay(accessCode);
	await expect
		.poll(settled(intentId))
		.toMatchObject({ status: "requires_payment", attempt: "succeeded", receipts: 1 });
	const [raised] = await exceptions("?class=amount&state=open");
	expect(raised).toMatchObject({
		...{ class: "amount", subject: reference, amount_minor: 125_000, currency: "KES" },
		...{ ours: { amount_minor: 250_000 }, theirs: { amount_minor: 125_000 } },
	});
	expect(await exceptions("?state=closed")).toEqual([]);
	const events = await till.database.db.query(
		"select 1 from outbox where envelope->>'type' = 'treasury.exception.raised'",
	);
	expect(events).toHaveLength(1);
});

test("money in another currency than was asked for lies in suspense, and raises an exception", async () => {
	const { uhai } = till.tenants;
	const { intentId, reference } = await newCheckout();
	const at = new Date();
	const said = {
		...({ kind: "paid", amountMinor: 250_000n, currency: "USD", receipt: "5900000001" } as const),
		...{ paidAt: at, payerMasked: undefined, channel: "card" as const, feeMinor: 9_000n },
	};
	await inTenant(till.database.db, uhai.id, async (tx) => {
		const [attempt] = await tx.query<{ id: string }>("select id from attempts where reference = $1", [
			reference,
		]);
		if (attempt === undefined) throw new Error("there is no attempt");
		const about = { tenantId: uhai.id, attemptId: attempt.id, source: "query", sourceId: undefined } as const;
		await applyOutcome(tx, { ...about, said, at });
	});
	expect(await stored(intentId)).toEqual({
		...{ status: "requires_payment", attempt: "succeeded", receipts: 1, unallocated: 1 },
	});
	expect(await exceptions("?class=currency")).toMatchObject([{ subject: reference, currency: "USD" }]);
	const { body } = await till.call({
		...{ method: "GET", url: "/api/v1/platform/accounts?limit=100" },
		token: till.token(till.tenants.lango, "superuser"),
	});
	expect(body["items"]).toContainEqual(
		expect.objectContaining({ code: "suspense.card", currency: "USD", balance_minor: 250_000 }),
	);
});

/** What verify says of a transaction, in the gateway's words. */
const verifiedAs = async (status: string) => {
	const at = new Date();
	const reference = `pay-${randomUUID().replaceAll("-", "")}`;
	const ids = {
		id: "59",
		status,
		reference,
		amountMinor: 250_000n,
		requestedMinor: undefined,
		feesMinor: 1n,
	};
	const transaction = { ...ids, currency: "KES", channel: "card", paidAt: undefined, metadata: undefined };
	const send = async () => ({ is: "accepted", ids: { ...transaction, data: {} }, raw: {} });
	const parts = {
		...{ db: till.database.db, now: () => at },
		gateways: { findCardGateway: async () => ({ send }) },
	} as unknown as Parameters<typeof verifyReference>[0];
	const said = [await verifyReference(parts, reference), await verifyReference(parts, reference)];
	const raised = await exceptions("?class=status");
	return { said, raised: raised.filter(({ subject }) => subject === reference).length };
};

const states: ReadonlyArray<[string, string | undefined, number]> = [
	["success", "paid", 0],
	["failed", "failed", 0],
	["abandoned", undefined, 0],
	["ongoing", undefined, 0],
	["pending", undefined, 0],
	["processing", undefined, 0],
	["queued", undefined, 0],
	["reversed", undefined, 1],
	["on_hold", undefined, 1],
];
test.each(states)(
	"of a transaction in the state %s verify says %s, and raises %i exceptions, however often it is asked",
	async (word, kind, raised) => {
		const verified = await verifiedAs(word);
		expect(verified.said.map((one) => one?.said?.kind)).toEqual([kind, kind]);
		expect(verified.raised).toBe(raised);
	},
);

test("a charge without a reference of ours lies in suspense with the platform owner, once, if the gateway confirms it", async () => {
	const { lango } = till.tenants;
	const reference = `shop-${randomUUID()}`;
	const opened = await fetch(`${till.cardGateway.url}/transaction/initialize`, {
		...{ method: "POST", body: JSON.stringify({ email: "amina@example.com", amount: 70_000, reference }) },
		headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
	});
	const { data } = (await opened.json()) as { data: { access_code: string } };
	const charged = await pay(data.access_code);
	const suspended = async () => {
		await till.service.jobs.runDue();
		return inTenant(till.database.db, lango.id, (tx) =>
			tx.query(
				`with posted as materialized (select source_id, purpose from journals)
				 select r.amount_minor::int as amount, r.allocated_minor::int as allocated, j.purpose from receipts r
				   join posted j on j.source_id = r.id where r.account_ref = $1`,
				[reference],
			),
		);
	};
	const once = [{ amount: 70_000, allocated: 0, purpose: "suspense" }];
	await expect.poll(suspended).toEqual(once);
	await send({ ...chargeOf(reference), id: charged["id"], again: true });
	expect(await suspended()).toEqual(once);
});

test("a charge without a reference of ours that the gateway does not confirm is parked, and counts nothing", async () => {
	expect(await send(chargeOf(`shop-${randomUUID()}`))).toBe(200);
	expect((await listRows(till.database.db)).at(-1)).toMatchObject({
		...{ status: "parked", error: "the gateway does not confirm the charge" },
	});
});

test("the first fee that the gateway states replaces the estimate, and differs from it only by a true-up (I17)", async () => {
	const { db } = till.database;
	const { id: tenantId } = till.tenants.uhai;
	const estimateMinor = 3_500n;
	const fees = fc.array(fc.option(fc.bigInt({ min: 0n, max: 9_000n }), { nil: undefined }), {
		...{ minLength: 1, maxLength: 4 },
	});
	const feesDue = async () => (await till.balances(till.tenants.uhai))["tenant.fees_due"] ?? 0;
	const property = fc.asyncProperty(fees, async ([first, ...later]) => {
		const before = await feesDue();
		const intent = await addTrade(db, tenantId);
		const receipt = await charge(db, intent, first === undefined ? {} : { feeMinor: first });
		for (const feeMinor of later) await chargeAgain(receipt, feeMinor === undefined ? {} : { feeMinor });
		const [stored] = await inTenant(db, tenantId, (tx) =>
			tx.query<{ fee: bigint; of_payment: bigint; is_estimated: boolean; purposes: string[] }>(
				`with posted as materialized (
				   select array_agg(j.purpose order by j.id) as purposes from journals j where j.source_id = $1)
				 select r.fee_minor::bigint as fee, is_fee_estimated as is_estimated,
				   (select sum(p.fee_minor)::bigint from payments p where p.tenant_id = $2 and p.receipt_id = r.id) as of_payment,
				   posted.purposes
				  from receipts r cross join posted where r.tenant_id = $2 and r.id = $1`,
				[receipt.id, tenantId],
			),
		);
		const stated = [first, ...later].find((fee) => fee !== undefined);
		const fee = stated ?? estimateMinor;
		const isCorrected = first === undefined && fee !== estimateMinor;
		expect(stored).toEqual({
			...{ fee, of_payment: fee, is_estimated: stated === undefined },
			purposes: isCorrected ? ["collection", "fee_trueup"] : ["collection"],
		});
		expect(await feesDue()).toBe(before + Number(fee));
	});
	await fc.assert(property, { numRuns: 12 });
	expect(
		await findViolations({ read: (text, values) => acrossTenants(db, (tx) => tx.query(text, values)) }),
	).toEqual([]);
});

/** The gateway says once more that a charge was paid. */
const chargeAgain = ({ tenantId, attemptId, receipt, amountMinor, currency }: Receipt, more: Partial<Paid>) =>
	inTenant(till.database.db, tenantId, (tx) =>
		applyOutcome(tx, {
			...{ tenantId, attemptId: attemptId ?? "", source: "query", sourceId: undefined, at: new Date() },
			said: {
				...{ kind: "paid", amountMinor, currency, receipt: receipt ?? undefined, channel: "card" },
				...{ paidAt: undefined, payerMasked: undefined },
				...more,
			},
		}),
	);
