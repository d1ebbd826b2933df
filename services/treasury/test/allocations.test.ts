import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import type { StoredIntent } from "../src/payments/intent.store.ts";
import type { Receipt } from "../src/receipts/receipt.ts";
import { takeReceipt } from "../src/receipts/taken-receipt.store.ts";
import { addTrade, charge, newReceiptNumber, receive } from "./receive.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);
const atPlatform = { shortcode: "600100", custody: "platform" } as const;
const payer = randomUUID();

const tokenOf = (tenant: PublicTenant) => till.token(tenant, "manager", { sub: payer });
const superuser = () => till.token(till.tenants.lango, "superuser");

/** Allocates a receipt of a tenant, as one of its managers unless the test says otherwise. */
const allocate = (
	tenant: PublicTenant,
	{ id }: Pick<Receipt, "id">,
	{
		token = tokenOf(tenant),
		...body
	}: { intent_id: string; amount_minor?: number; unallocated_minor?: number; token?: string },
) => {
	const url = `/api/v1/${tenant.slug}/treasury/receipts/${id}/allocate?tenantId=${tenant.id}`;
	return till.call({ method: "POST", url, token, body });
};
const codeOf = ({ status, body }: Awaited<ReturnType<typeof allocate>>) => [status, body["code"]];

const add = ({ id }: PublicTenant, more: Parameters<typeof addTrade>[2] = {}) =>
	addTrade(till.database.db, id, more);
const addBillOf = (tenant: PublicTenant, amountMinor = 100_000n) =>
	add(tenant, { payee: "platform", sourceService: "subscriptions", operationKind: "checkout", amountMinor });
const receiveAt = ({ id }: PublicTenant, more: Parameters<typeof receive>[2] = {}) =>
	receive(till.database.db, id, more);
const ask = <R extends object>({ id }: PublicTenant, text: string, values: unknown[] = []) =>
	inTenant(till.database.db, id, (tx) => tx.query<R & Record<string, unknown>>(text, values));

const stateOf = async (tenant: PublicTenant, { id }: StoredIntent) => {
	const [row] = await ask<{ status: string; received: number }>(
		tenant,
		"select status, received_minor::int as received from intents where id = $1",
		[id],
	);
	return [row?.status, row?.received];
};

/** What the work changes of the tenant's balances. */
async function changes(tenant: PublicTenant, work: () => Promise<unknown>) {
	const before = await till.balances(tenant);
	await work();
	const after = await till.balances(tenant);
	const changed = Object.entries(after).map(([code, minor]) => [code, minor - (before[code] ?? 0)] as const);
	return Object.fromEntries(changed.filter(([, minor]) => minor !== 0));
}

test("a receipt in suspense is allocated: it pays the intent, with a journal, evidence, events and an audit entry", async () => {
	const { uhai } = till.tenants;
	const [intent, receipt] = [await add(uhai), await receiveAt(uhai)];
	const changed = await changes(uhai, async () => {
		expect(await allocate(uhai, receipt, { intent_id: intent.id })).toMatchObject({
			...{ status: 200 },
			body: { state: "allocated", unallocated_minor: 0, payments: [{ intent_id: intent.id }] },
		});
	});
	expect(changed).toEqual({ "suspense.600200": -100_000, "tenant.mobile": 100_000 });
	expect(await stateOf(uhai, intent)).toEqual(["succeeded", 100_000]);
	expect(await till.published("treasury.payment.succeeded", uhai)).toContainEqual(
		expect.objectContaining({ intent_id: intent.id, receipt: receipt.receipt, amount_minor: 100_000 }),
	);
	const [evidence] = await ask<{ id: string }>(
		uhai,
		"select id, source, source_id, said from evidence where object_id = $1 and source = 'operator'",
		[receipt.id],
	);
	expect(evidence).toMatchObject({ source_id: payer, said: { kind: "allocated", intentId: intent.id } });
	expect(await ask(uhai, "select purpose from journals where evidence_id = $1", [evidence?.id])).toEqual([
		{ purpose: "allocation" },
	]);
	expect(await ask(uhai, "select action from audit_log where subject = $1", [receipt.id])).toEqual([
		{ action: "receipt.allocated" },
	]);
});

test("an amount allocates a part; without one as much is allocated as the intent needs, and the rest waits", async () => {
	const { uhai } = till.tenants;
	const [first, second] = [await add(uhai), await add(uhai, { amountMinor: 50_000n })];
	const receipt = await receiveAt(uhai);
	expect((await allocate(uhai, receipt, { intent_id: first.id, amount_minor: 30_000 })).body).toMatchObject({
		...{ state: "unallocated", allocated_minor: 30_000, unallocated_minor: 70_000 },
	});
	expect(await stateOf(uhai, first)).toEqual(["partially_paid", 30_000]);
	expect((await allocate(uhai, receipt, { intent_id: second.id })).body).toMatchObject({
		...{ state: "unallocated", allocated_minor: 80_000, unallocated_minor: 20_000 },
	});
	expect(await stateOf(uhai, second)).toEqual(["succeeded", 50_000]);
});

test("a part that is sent again is refused: another amount is left of the receipt than the person saw", async () => {
	const { uhai } = till.tenants;
	const [intent, receipt] = [await add(uhai), await receiveAt(uhai)];
	const part = { intent_id: intent.id, amount_minor: 30_000, unallocated_minor: 100_000 };
	expect((await allocate(uhai, receipt, part)).status).toBe(200);
	expect(codeOf(await allocate(uhai, receipt, part))).toEqual([409, "receipt_changed"]);
	expect(await stateOf(uhai, intent)).toEqual(["partially_paid", 30_000]);
	expect((await allocate(uhai, receipt, { ...part, unallocated_minor: 70_000 })).status).toBe(200);
});

test.each(["cancelled", "expired"])(
	"an intent that is %s is paid by an allocation, as by a late payment",
	async (status) => {
		const { uhai } = till.tenants;
		const [intent, receipt] = [await add(uhai), await receiveAt(uhai)];
		await ask(uhai, "update intents set status = $2, ended_at = now() where id = $1", [intent.id, status]);
		expect((await allocate(uhai, receipt, { intent_id: intent.id })).status).toBe(200);
		expect(await stateOf(uhai, intent)).toEqual(["succeeded", 100_000]);
	},
);

type Refused = {
	money?: Parameters<typeof receive>[2];
	asked?: Parameters<typeof addTrade>[2];
	code: string;
};
test.each<[string, Refused]>([
	["that is not verified", { money: { isTrusted: false }, code: "receipt_unverified" }],
	["of another currency", { asked: { currency: "USD" }, code: "currency_differs" }],
	["of the tenant's own shortcode, to a bill", { asked: { payee: "platform" }, code: "custody_differs" }],
	["of the platform's shortcode, to the tenant's own trade", { money: atPlatform, code: "custody_differs" }],
])("a receipt %s is refused", async (_what, { money, asked, code }) => {
	const { uhai } = till.tenants;
	const [intent, receipt] = [await add(uhai, asked), await receiveAt(uhai, money)];
	expect(codeOf(await allocate(uhai, receipt, { intent_id: intent.id }))).toEqual([409, code]);
	expect(await stateOf(uhai, intent)).toEqual(["requires_payment", 0]);
});

test("a receipt that is used up, and an intent that is paid, are refused", async () => {
	const { uhai } = till.tenants;
	const [intent, other] = [await add(uhai), await add(uhai)];
	const [receipt, late] = [await receiveAt(uhai, { intentId: intent.id }), await receiveAt(uhai)];
	expect(codeOf(await allocate(uhai, receipt, { intent_id: other.id }))).toEqual([409, "receipt_allocated"]);
	expect(codeOf(await allocate(uhai, late, { intent_id: intent.id }))).toEqual([409, "intent_closed"]);
});

test.each([
	["is left of the receipt", 100_001, "There is less left of the receipt."],
	["the intent needs", 60_000, "The payment request needs less than that."],
])("more than %s is refused", async (_what, amount_minor, message) => {
	const { uhai } = till.tenants;
	const [intent, receipt] = [await add(uhai, { amountMinor: 50_000n }), await receiveAt(uhai)];
	expect(await allocate(uhai, receipt, { intent_id: intent.id, amount_minor })).toMatchObject({
		...{ status: 400, body: { code: "invalid_input", error: message, field: "amount_minor" } },
	});
});

test("an unknown receipt, and an intent of another tenant, are not found", async () => {
	const { uhai, kahawa } = till.tenants;
	const [intent, foreign, receipt] = [await add(uhai), await add(kahawa), await receiveAt(uhai)];
	expect(codeOf(await allocate(uhai, { id: randomUUID() }, { intent_id: intent.id }))).toEqual([
		...[404, "receipt_not_found"],
	]);
	expect(codeOf(await allocate(uhai, receipt, { intent_id: foreign.id }))).toEqual([404, "intent_not_found"]);
});

test("the fee of a charge that paid nothing is passed on with its first allocation", async () => {
	const { kahawa } = till.tenants;
	const asked = await add(kahawa);
	const receipt = await charge(till.database.db, asked, { currency: "USD", feeMinor: 3_500n });
	const [first, second] = [
		await add(kahawa, { currency: "USD", amountMinor: 60_000n }),
		await add(kahawa, { currency: "USD" }),
	];
	const pays = (intent: StoredIntent) =>
		changes(kahawa, () => allocate(kahawa, receipt, { intent_id: intent.id }));
	expect(await pays(first)).toEqual({ "tenant.pending": 60_000, "tenant.fees_due": 3_500 });
	expect(await pays(second)).toEqual({ "tenant.pending": 40_000 });
	const payments = await ask(
		kahawa,
		"select fee_minor::int as fee, pending_minor::int as pending from payments where receipt_id = $1 order by id",
		[receipt.id],
	);
	expect(payments).toEqual([
		{ fee: 3_500, pending: 60_000 },
		{ fee: 0, pending: 40_000 },
	]);
});

test("the fee of a charge is passed on once, also if its excess is allocated later", async () => {
	const { uhai } = till.tenants;
	const [asked, other] = [await add(uhai), await add(uhai)];
	const receipt = await charge(till.database.db, asked, { amountMinor: 150_000n, feeMinor: 4_250n });
	const changed = await changes(uhai, () => allocate(uhai, receipt, { intent_id: other.id }));
	expect(changed).toEqual({ "tenant.pending": 50_000 });
});

test("a receipt without a tenant is allocated by the platform owner, to a bill of any tenant, to which it moves", async () => {
	const { lango, kahawa } = till.tenants;
	const bill = await addBillOf(kahawa);
	const number = newReceiptNumber();
	const receipt = await receiveAt(lango, { ...atPlatform, receipt: number, amountMinor: 130_000n });
	// What somebody says of this number to the tenant is not recorded, and does not keep it out.
	const said = receiveAt(kahawa, { receipt: number, isTrusted: false });
	await expect(said).rejects.toThrow("the receipt was not recorded");
	const changed = await changes(kahawa, async () => {
		const allocated = await allocate(lango, receipt, { intent_id: bill.id, token: superuser() });
		expect(allocated).toMatchObject({ status: 200, body: { id: receipt.id, state: "allocated" } });
	});
	expect(changed).toEqual({ unapplied: 30_000 });
	expect(await stateOf(kahawa, bill)).toEqual(["succeeded", 100_000]);
	const found = { state: "verified", platform: 130_000 };
	const text = "select state, platform_minor::int as platform from receipts where receipt = $1";
	expect([await ask(kahawa, text, [number]), await ask(lango, text, [number])]).toEqual([[found], []]);
	// It is counted once: the same confirmation again changes nothing.
	await receiveAt(kahawa, { ...atPlatform, receipt: number, amountMinor: 130_000n });
	expect(await till.balances(kahawa)).toMatchObject({ unapplied: 30_000 });
});

test("a part of a receipt of the platform owner is not allocated to another tenant, to which all of it would move", async () => {
	const { lango, kahawa } = till.tenants;
	const [bill, receipt] = [await addBillOf(kahawa, 60_000n), await receiveAt(lango, atPlatform)];
	const allocated = { intent_id: bill.id, amount_minor: 60_000, token: superuser() };
	expect(await allocate(lango, receipt, allocated)).toMatchObject({
		...{ status: 400, body: { code: "invalid_input", field: "amount_minor" } },
	});
	expect(
		await ask(lango, "select allocated_minor::int as allocated from receipts where id = $1", [receipt.id]),
	).toEqual([{ allocated: 0 }]);
	const whole = await allocate(lango, receipt, { ...allocated, amount_minor: 100_000 });
	expect(whole).toMatchObject({ status: 200, body: { state: "allocated" } });
});

test("a receipt of the platform owner's own trade is not allocated to another tenant", async () => {
	const { lango, uhai } = till.tenants;
	const [intent, receipt] = [await add(uhai), await receiveAt(lango, { shortcode: "600100" })];
	const refused = await allocate(lango, receipt, { intent_id: intent.id, token: superuser() });
	expect(codeOf(refused)).toEqual([409, "custody_differs"]);
	const taking = inTenant(till.database.db, uhai.id, (tx) => takeReceipt(tx, receipt.id, lango.id));
	expect(await taking).toBe(false);
});

test("a receipt is not moved to a tenant that has its number already: an error, and both receipts stay", async () => {
	const { lango, kahawa } = till.tenants;
	const receipt = await receiveAt(lango, atPlatform);
	const [row] = await ask<{ copy: string }>(
		lango,
		"select to_jsonb(r)::text as copy from receipts r where id = $1",
		[receipt.id],
	);
	const copy = { ...JSON.parse(row?.copy ?? ""), id: randomUUID(), tenant_id: kahawa.id };
	const rows = "select * from jsonb_populate_recordset(null::receipts, $1)";
	const insert = `insert into receipts as r ${rows} on conflict do nothing returning r.id`;
	expect(await ask(kahawa, insert, [JSON.stringify([copy])])).toHaveLength(1);
	const taking = inTenant(till.database.db, kahawa.id, (tx) => takeReceipt(tx, receipt.id, lango.id));
	await expect(taking).rejects.toThrow(`the receipt ${receipt.id} has a row in receipts already`);
	const idsOf = (tenant: PublicTenant) =>
		ask(tenant, "select id from receipts where receipt = $1", [receipt.receipt]);
	expect(await idsOf(lango)).toEqual([{ id: receipt.id }]);
	expect(await idsOf(kahawa)).toEqual([{ id: copy.id }]);
});

test("what is unused of an allocated receipt pays the next bill", async () => {
	const { lango, duka } = till.tenants;
	const bill = await addBillOf(duka);
	await ask(duka, "update intents set status = 'cancelled', ended_at = now() where id = $1", [bill.id]);
	const receipt = await receiveAt(lango, atPlatform);
	const changed = await changes(duka, () =>
		allocate(lango, receipt, { intent_id: bill.id, token: superuser() }),
	);
	expect(changed).toEqual({ unapplied: 100_000 });
	const next = await addBillOf(duka);
	const url = `/api/v1/${duka.slug}/treasury/bills/${next.operationId}/push`;
	await till.call({ method: "POST", url, token: superuser(), body: { phone: "254712345678" } });
	expect(await stateOf(duka, next)).toEqual(["succeeded", 100_000]);
});

test.each(["admin", "manager"])(
	"a receipt without a tenant is not allocated by a person who is %s",
	async (role) => {
		const { lango, uhai } = till.tenants;
		const [bill, receipt] = [await addBillOf(uhai), await receiveAt(lango, atPlatform)];
		const token = till.token(lango, role);
		expect(codeOf(await allocate(lango, receipt, { intent_id: bill.id, token }))).toEqual([403, "forbidden"]);
		expect(codeOf(await allocate(uhai, receipt, { intent_id: bill.id }))).toEqual([404, "receipt_not_found"]);
	},
);

test("a receipt that the platform owner used already is not moved, and unknown things are not found", async () => {
	const { lango, uhai } = till.tenants;
	const [own, bill] = [await addBillOf(lango, 50_000n), await addBillOf(uhai)];
	const receipt = await receiveAt(lango, atPlatform);
	const token = superuser();
	expect((await allocate(lango, receipt, { intent_id: own.id, amount_minor: 50_000, token })).status).toBe(
		200,
	);
	expect(codeOf(await allocate(lango, receipt, { intent_id: bill.id, token }))).toEqual([
		409,
		"receipt_allocated",
	]);
	expect(codeOf(await allocate(lango, receipt, { intent_id: randomUUID(), token }))).toEqual([
		...[404, "intent_not_found"],
	]);
	expect(codeOf(await allocate(lango, { id: randomUUID() }, { intent_id: bill.id, token }))).toEqual([
		...[404, "receipt_not_found"],
	]);
});
