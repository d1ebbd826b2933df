import { randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { updateBillingMethod } from "../../src/billing/methods/billing-method.store.ts";
import { openTill } from "../till.ts";
import { addCards, addOrder, addPage, addPayouts } from "./add-objects.ts";
import { addTwoIds, merge } from "./two-ids.ts";

const till = setUp(openTill);

type Row = Record<string, unknown>;

const bothIds = ["from", "to"] as const;
type Later = (typeof bothIds)[number];

/** The rows of tables, without what says whose they are and by which key they were asked for. */
async function rowsOf(db: Database, tenantId: string, tables: readonly string[]): Promise<string[]> {
	return inTenant(db, tenantId, async (tx) => {
		const found = [];
		for (const table of tables)
			for (const { row } of await tx.query<{ row: Row }>(
				`select to_jsonb(t) - 'tenant_id' - 'idempotency_key' - 'authorization_id' as row from ${table} t`,
			))
				found.push(`${table} ${JSON.stringify(row)}`);
		return found.toSorted();
	});
}

type Adding = (db: Database, tenantId: string) => Promise<unknown>;

/**
 * Adds the same under two ids of a tenant, later under one of them, and merges them: the later one keeps the
 * Idempotency-Key of both. Returns the rows of both before, and of the one id after.
 */
async function mergeRows(tables: readonly string[], add: Adding, later: Later) {
	const { db } = till.database;
	const ids = await addTwoIds(db);
	for (const id of [ids.from, ids.to]) await add(db, id);
	await inTenant(db, ids[later], (tx) => postpone(tx, tables));
	const before = [await rowsOf(db, ids.from, tables), await rowsOf(db, ids.to, tables)];
	for (const table of tables)
		for (const of of before) expect(of.filter((row) => row.startsWith(`${table} `))).not.toEqual([]);
	const named = await inTenant(db, ids[later], (tx) => listKeys(tx, tables));
	await merge(db, ids);
	expect(await inTenant(db, ids.to, (tx) => listKeys(tx, tables))).toEqual(named);
	return { before: before.flat().toSorted(), after: await rowsOf(db, ids.to, tables), ids };
}

/** Lets what was asked for with an Idempotency-Key have been asked for a day later. */
async function postpone(tx: Database, tables: readonly string[]): Promise<void> {
	for (const table of tables) {
		const keyed = await tx.query(`select from ${table} t where to_jsonb(t) ? 'idempotency_key' limit 1`);
		if (keyed.length === 0) continue;
		await tx.query(`update ${table} set created_at = created_at + interval '1 day'`);
	}
}

/** What was asked for with the Idempotency-Key of both ids, in each table that has keys. */
async function listKeys(tx: Database, tables: readonly string[]): Promise<string[]> {
	const found = [];
	for (const table of tables)
		for (const { id } of await tx.query<{ id: string }>(
			`select to_jsonb(t)->>'id' as id from ${table} t where to_jsonb(t)->>'idempotency_key' like 'of both%' order by 1`,
		))
			found.push(`${table} ${id}`);
	return found;
}

test.each(bothIds)(
	"all payouts of two ids stay, asked for later under %s, with the lines, approvals and targets of each, in their bulk requests and to their recipients",
	async (later) => {
		const tables = [
			...["payouts", "payout_lines", "payout_approvals", "payout_targets", "payout_batches", "recipients"],
		];
		const { before, after, ids } = await mergeRows(tables, addPayouts, later);
		expect(after).toEqual(before);
		expect(await till.balances({ ...till.tenants.uhai, id: ids.to })).toMatchObject({
			...{ "tenant.available": 200_000, "tenant.reserved": 400_000 },
		});
	},
);

test.each(bothIds)(
	"all standing orders and payment pages of two ids stay, asked for later under %s",
	async (later) => {
		const add: Adding = async (db, tenantId) => {
			await addPage(db, tenantId);
			await inTenant(db, tenantId, (tx) => addOrder(tx, tenantId, "tenant"));
		};
		const { before, after } = await mergeRows(["standing_orders", "payment_pages"], add, later);
		expect(after).toEqual(before);
	},
);

test.each(bothIds)(
	"all card plans and subscriptions of two ids stay, asked for later under %s; of a card that both have one is kept, which the subscriptions name",
	async (later) => {
		const { before, after, ids } = await mergeRows(["card_plans", "card_subscriptions"], addCards, later);
		expect(after).toEqual(before);
		const cards = await inTenant(till.database.db, ids.to, (tx) =>
			tx.query(
				`select a.payee, count(s)::int as subscriptions from card_authorizations a
				   left join card_subscriptions s on s.authorization_id = a.id and s.payee = a.payee group by a.payee, a.id order by 1`,
			),
		);
		expect(cards).toEqual([
			{ payee: "platform", subscriptions: 2 },
			{ payee: "tenant", subscriptions: 2 },
		]);
	},
);

test("a tenant whose id changes keeps them all", async () => {
	const { db } = till.database;
	const tables = ["payouts", "payout_batches", "recipients", "card_plans", "card_subscriptions"];
	const { from } = await addTwoIds(db);
	await addPayouts(db, from);
	await addCards(db, from);
	const before = await rowsOf(db, from, tables);
	const to = randomUUID();
	await merge(db, { from, to });
	expect(await rowsOf(db, to, tables)).toEqual(before);
});

test.each(bothIds)(
	"of two standing orders that pay the bills one stays, that of the billing method, which was changed later under %s",
	async (later) => {
		const { db } = till.database;
		const ids = await addTwoIds(db);
		const orders = { from: "", to: "" };
		for (const id of bothIds)
			await inTenant(db, ids[id], async (tx) => {
				await addOrder(tx, ids[id], "tenant");
				orders[id] = await addOrder(tx, ids[id], "platform");
				const method = { kind: "standing_order", phone: null, email: null } as const;
				const now = new Date(`2026-03-02T0${id === later ? 9 : 8}:00:00Z`);
				await updateBillingMethod(tx, ids[id], { ...method, standingOrderId: orders[id], now });
			});
		await merge(db, ids);
		for (const _ of ["first", "again"]) {
			await till.service.jobs.run("standing-orders.stop.sweep");
			await till.service.jobs.runDue();
		}
		const open = await inTenant(db, ids.to, (tx) =>
			tx.query("select payee, id from standing_orders where ended_at is null order by payee"),
		);
		expect(open).toEqual([
			{ payee: "platform", id: orders[later] },
			{ payee: "tenant", id: expect.any(String) },
			{ payee: "tenant", id: expect.any(String) },
		]);
		const tenant = { ...till.tenants.uhai, id: ids.to };
		expect(await till.published("treasury.standing_order.changed", tenant)).toMatchObject([
			{ standing_order_id: orders[later === "from" ? "to" : "from"], status: "stopped" },
		]);
	},
);
