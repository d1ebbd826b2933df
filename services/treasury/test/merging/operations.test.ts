import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { askForBill } from "../../src/billing/ask-for-bill.ts";
import { withdrawBill } from "../../src/billing/withdraw-bill.ts";
import { findIntentByKey, lockOperation, nameIntent } from "../../src/payments/intent.store.ts";
import { keys } from "../add-bill.ts";
import { addTrade, charge, newReceiptNumber, receive, returnedAtGateway } from "../receive.ts";
import { openTill } from "../till.ts";
import { addTwoIds, merge, type TwoIds } from "./two-ids.ts";

const till = setUp(openTill);
const bothIds = ["from", "to"] as const;
type Id = (typeof bothIds)[number];
const other = { from: "to", to: "from" } as const;
const sourceService = "subscriptions";
const parts = { keys, now: () => new Date(), settings: { consoleUrl: "" } };

/** Another service asks a tenant, `attempt` times so far, to pay 2,500.00 shillings for its renewal. */
const ask = (tenantId: string, operationId: string, attempt: number) =>
	inTenant(till.database.db, tenantId, (tx) =>
		askForBill(tx, parts, {
			...{ operation_id: operationId, tenant_id: tenantId, kind: "renewal", attempt, currency: "KES" },
			...{ amount_minor: 250_000, sourceService, description: "Lango plan" },
			askedAt: new Date(Date.now() + attempt * 1000),
			expiresAt: new Date(Date.now() + 86_400_000),
		}),
	);

/** Somebody types the code of a bill at the platform's paybill. */
const payBill = (tenantId: string, bill: { id: string } | undefined) =>
	receive(till.database.db, tenantId, {
		...{ receipt: newReceiptNumber(), shortcode: "600100", custody: "platform", amountMinor: 250_000n },
		intentId: bill?.id ?? "",
	});

const operation = (tenantId: string, operationId: string) =>
	inTenant(till.database.db, tenantId, (tx) => lockOperation(tx, { sourceService, operationId }));

/** The states of all bills of a tenant. */
const states = async (tenantId: string) =>
	(
		await inTenant(till.database.db, tenantId, (tx) =>
			tx.query<{ status: string }>("select status from intents order by status"),
		)
	).map(({ status }) => status);

/** The operations that were published as paid, the first first. */
const paidOf = async ({ to }: TwoIds) =>
	(await till.published("treasury.payment.succeeded", { ...till.tenants.uhai, id: to })).map(
		(event) => event["operation_id"],
	);

test.each(bothIds)(
	"of two open bills of one operation the one that was asked for later stays, under %s: what is paid for the other one pays the operation, once",
	async (later) => {
		const ids = await addTwoIds(till.database.db);
		const operationId = randomUUID();
		await ask(ids[other[later]], operationId, 1);
		await ask(ids[later], operationId, 2);
		const [kept, lost] = [
			await operation(ids[later], operationId),
			await operation(ids[other[later]], operationId),
		];
		await merge(till.database.db, ids);
		expect(await operation(ids.to, operationId)).toMatchObject({ id: kept?.id, askedAttempt: 2 });
		expect(await states(ids.to)).toEqual(["cancelled", "requires_payment"]);
		for (const _ of [1, 2]) await payBill(ids.to, lost);
		expect(await paidOf(ids)).toEqual([operationId]);
		expect(await till.balances({ ...till.tenants.uhai, id: ids.to })).toEqual({ unapplied: 250_000 });
	},
);

test.each(bothIds)(
	"of two bills of one operation the one that is paid keeps it, under %s, also if the other one was asked for later: the operation is not paid again",
	async (paid) => {
		const ids = await addTwoIds(till.database.db);
		const operationId = randomUUID();
		await ask(ids[paid], operationId, 1);
		await payBill(ids[paid], await operation(ids[paid], operationId));
		await ask(ids[other[paid]], operationId, 2);
		const lost = await operation(ids[other[paid]], operationId);
		await merge(till.database.db, ids);
		await ask(ids.to, operationId, 3);
		await payBill(ids.to, lost);
		expect(await states(ids.to)).toEqual(["cancelled", "succeeded"]);
		expect(new Set(await paidOf(ids))).toEqual(new Set([operationId]));
		expect(await till.balances({ ...till.tenants.uhai, id: ids.to })).toEqual({ unapplied: 250_000 });
	},
);

test.each(bothIds)("of two bills of one operation that are both paid, both stay: under %s", async (first) => {
	const ids = await addTwoIds(till.database.db);
	const operationId = randomUUID();
	for (const [at, id] of [first, other[first]].entries()) {
		await ask(ids[id], operationId, at + 1);
		await payBill(ids[id], await operation(ids[id], operationId));
	}
	await merge(till.database.db, ids);
	expect(await states(ids.to)).toEqual(["succeeded", "succeeded"]);
});

test.each(bothIds)("a bill is cancelled whose operation was withdrawn under %s", async (withdrawn) => {
	const ids = await addTwoIds(till.database.db);
	const operationId = randomUUID();
	await ask(ids[other[withdrawn]], operationId, 1);
	const tenantId = ids[withdrawn];
	await inTenant(till.database.db, tenantId, (tx) =>
		withdrawBill(tx, { tenantId, sourceService, operationId }, new Date()),
	);
	await merge(till.database.db, ids);
	expect(await states(ids.to)).toEqual(["cancelled"]);
});

const createdBy = { kind: "user", id: randomUUID() };
const idempotencyKey = "of both";

/** Somebody asks under an id for a payment of the tenant's own trade, with the key of both ids. */
async function addKeyed(ids: TwoIds, id: Id, at: number) {
	const { db } = till.database;
	const tenantId = ids[id];
	const intent = await addTrade(db, tenantId, { askedAt: new Date(Date.now() + at * 1000) });
	await inTenant(db, tenantId, (tx) =>
		nameIntent(tx, { tenantId, id: intent.id, createdBy, idempotencyKey }),
	);
	return intent;
}

test.each(bothIds.flatMap((later) => [true, false].map((isPaid) => [later, isPaid] as const)))(
	"the key of two intents names the later one, of %s, unless the other one is paid: %s",
	async (later, isPaid) => {
		const { db } = till.database;
		const ids = await addTwoIds(db);
		const early = await addKeyed(ids, other[later], 1);
		const late = await addKeyed(ids, later, 2);
		if (isPaid) await charge(db, early);
		await merge(db, ids);
		const named = await inTenant(db, ids.to, (tx) => findIntentByKey(tx, { createdBy, key: idempotencyKey }));
		expect(named?.id).toBe((isPaid ? early : late).id);
		expect(await states(ids.to)).toEqual(["requires_payment", isPaid ? "succeeded" : "requires_payment"]);
	},
);

test.each(bothIds)("the key of two refunds names the later one, of %s; both stay", async (later) => {
	const { db } = till.database;
	const ids = await addTwoIds(db);
	const refunds = { from: "", to: "" };
	for (const id of bothIds) {
		refunds[id] = await returnedAtGateway(db, await charge(db, await addTrade(db, ids[id])));
		const hours = id === later ? 2 : 1;
		await inTenant(db, ids[id], (tx) =>
			tx.query("update refunds set idempotency_key = $1, created_at = now() + $2 * interval '1 hour'", [
				idempotencyKey,
				hours,
			]),
		);
	}
	await merge(db, ids);
	const kept = await inTenant(db, ids.to, (tx) =>
		tx.query("select id from refunds where idempotency_key = $1", [idempotencyKey]),
	);
	expect(kept).toEqual([{ id: refunds[later] }]);
	expect(await inTenant(db, ids.to, (tx) => tx.query("select from refunds"))).toHaveLength(2);
});
