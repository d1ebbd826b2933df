import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import type { Asked } from "../src/payments/open-intent.ts";
import { addTrade, charge, receive } from "./receive.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);

const addIntent = (tenant: PublicTenant, more: Partial<Asked> = {}) =>
	addTrade(till.database.db, tenant.id, more);

const ask = (path: string, tenant: PublicTenant, token = till.token(tenant, "manager")) =>
	till.call({ method: "GET", url: `/api/v1/${tenant.slug}/treasury/${path}`, token });
const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body["code"]];
const itemsOf = ({ body }: Awaited<ReturnType<typeof ask>>) => body["items"] as Array<{ id: string }>;
const idsOf = (answer: Awaited<ReturnType<typeof ask>>) => itemsOf(answer).map(({ id }) => id);

test("a payment names what it pays, its receipt, its channel and its fee", async () => {
	const { uhai } = till.tenants;
	const intent = await addIntent(uhai);
	const { id: intentId, operationId, accountCode: accountRef } = intent;
	const receipt = await receive(till.database.db, uhai.id, { intentId, accountRef });
	const [payment] = itemsOf(await ask(`payments?intent_id=${intent.id}`, uhai));
	expect(payment).toMatchObject({
		...{ intent_id: intent.id, operation_id: operationId, order_id: "17", description: "Lango plan" },
		...{ amount_minor: 100_000, refunded_minor: 0, currency: "KES", channel: "account" },
		...{ fee_minor: 0, is_fee_estimated: false },
		receipt: {
			...{ id: receipt.id, receipt: receipt.receipt, gateway: "mobile_money", shortcode: "600200" },
			...{ payer_masked: "2547 ***** 126", occurred_at: receipt.occurredAt.toISOString() },
		},
	});
	expect((await ask(`payments/${payment?.id}`, uhai)).body).toEqual(payment);
});

test.each([
	["estimated until the gateway says it", undefined, { fee_minor: 3_500, is_fee_estimated: true }],
	["as the gateway says it", 3_100n, { fee_minor: 3_100, is_fee_estimated: false }],
])("the fee of a charge is %s", async (_what, feeMinor, shown) => {
	const { uhai } = till.tenants;
	const intent = await addIntent(uhai);
	const receipt = await charge(till.database.db, intent, feeMinor === undefined ? {} : { feeMinor });
	const [payment] = itemsOf(await ask(`payments?intent_id=${intent.id}`, uhai));
	expect(payment).toMatchObject({ ...shown, channel: "card", receipt: { gateway: "card_gateway" } });
	expect((await ask(`receipts/${receipt.id}`, uhai)).body).toMatchObject({ ...shown, custody: "platform" });
});

test("payments are listed page by page, the newest first, within a time", async () => {
	const { uhai } = till.tenants;
	const { id: intentId } = await addIntent(uhai);
	const amountMinor = 10_000n;
	for (const _turn of [1, 2, 3]) await receive(till.database.db, uhai.id, { intentId, amountMinor });
	const all = idsOf(await ask(`payments?intent_id=${intentId}`, uhai));
	expect(all).toEqual(all.toSorted().reverse());
	const first = await ask(`payments?intent_id=${intentId}&limit=2&total=true`, uhai);
	expect(first.body["total"]).toBe(3);
	const next = await ask(`payments?intent_id=${intentId}&limit=2&cursor=${first.body["next_cursor"]}`, uhai);
	expect([...idsOf(first), "then", ...idsOf(next)]).toEqual([all[0], all[1], "then", all[2]]);
	const later = new Date(Date.now() + 60_000).toISOString();
	expect(idsOf(await ask(`payments?intent_id=${intentId}&from=${later}`, uhai))).toEqual([]);
	expect(idsOf(await ask(`payments?intent_id=${intentId}&to=${later}`, uhai))).toEqual(all);
});

test("a person who may see only their own sees payments of what they are the customer of, and no receipt", async () => {
	const { uhai } = till.tenants;
	const customerUserId = randomUUID();
	const token = till.token(uhai, "customer", { sub: customerUserId });
	const [own, other] = [await addIntent(uhai, { customerUserId }), await addIntent(uhai)];
	for (const { id: intentId } of [own, other]) await receive(till.database.db, uhai.id, { intentId });
	const [foreign] = itemsOf(await ask(`payments?intent_id=${other.id}`, uhai));
	const listed = await ask("payments", uhai, token);
	expect(listed.body["items"]).toMatchObject([{ intent_id: own.id }]);
	expect((await ask(`payments/${idsOf(listed)[0]}`, uhai, token)).status).toBe(200);
	expect(codeOf(await ask(`payments/${foreign?.id}`, uhai, token))).toEqual([404, "payment_not_found"]);
	expect((await ask("receipts", uhai, token)).status).toBe(403);
});

test("what a tenant pays to the platform is not listed as its trade; its receipt names the payment of the bill", async () => {
	const { duka, lango } = till.tenants;
	const { db } = till.database;
	const superuser = till.token(lango, "superuser");
	const bill = await addIntent(duka, { payee: "platform" });
	const money = { intentId: bill.id, shortcode: "600100", custody: "platform" as const };
	const receipt = await receive(db, duka.id, money);
	const shown = await ask(`receipts/${receipt.id}`, duka, superuser);
	expect(shown.body).toMatchObject({
		...{ state: "allocated", custody: "platform" },
		payments: [{ intent_id: bill.id, amount_minor: 100_000 }],
	});
	const [payment] = shown.body["payments"] as Array<{ id: string }>;
	expect(idsOf(await ask("payments", duka, superuser))).toEqual([]);
	expect(codeOf(await ask(`payments/${payment?.id}`, duka, superuser))).toEqual([404, "payment_not_found"]);
});

test("receipts are listed by whether they are verified and something of them waits to be allocated", async () => {
	const { kahawa } = till.tenants;
	const { db } = till.database;
	const at = { shortcode: "600300" };
	const { id: intentId } = await addIntent(kahawa, { amountMinor: 150_000n });
	const allocated = await receive(db, kahawa.id, { ...at, intentId });
	const inPart = await receive(db, kahawa.id, { ...at, intentId });
	const waiting = await receive(db, kahawa.id, at);
	const unverified = await receive(db, kahawa.id, { ...at, isTrusted: false });
	expect(idsOf(await ask("receipts", kahawa))).toEqual(
		[unverified, waiting, inPart, allocated].map(({ id }) => id),
	);
	const listed = async (state: string) => itemsOf(await ask(`receipts?state=${state}`, kahawa));
	expect(await listed("unverified")).toMatchObject([
		{ id: unverified.id, state: "unverified", unallocated_minor: 0, payments: [] },
	]);
	expect(await listed("unallocated")).toMatchObject([
		{ id: waiting.id, allocated_minor: 0, unallocated_minor: 100_000, payments: [] },
		{ id: inPart.id, allocated_minor: 50_000, unallocated_minor: 50_000, payments: [{}] },
	]);
	expect(await listed("allocated")).toMatchObject([
		{ id: allocated.id, state: "allocated", unallocated_minor: 0, payments: [{ intent_id: intentId }] },
	]);
	const first = await ask("receipts?limit=3", kahawa);
	expect((await ask("receipts?limit=3&total=true", kahawa)).body["total"]).toBe(4);
	expect((await ask("receipts?state=unallocated&limit=1&total=true", kahawa)).body["total"]).toBe(2);
	expect(idsOf(await ask(`receipts?limit=3&cursor=${first.body["next_cursor"]}`, kahawa))).toEqual([
		allocated.id,
	]);
});

test.each(["payment", "receipt"])("an unknown %s is not found", async (noun) => {
	const answer = await ask(`${noun}s/${randomUUID()}`, till.tenants.uhai);
	expect(codeOf(answer)).toEqual([404, `${noun}_not_found`]);
});
