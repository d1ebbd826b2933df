import type pg from "pg";
import { insertBytes } from "../charges.store.ts";

type Client = Pick<pg.Client | pg.Pool, "query">;

/** The channel on which the ids of intents are announced with an event of their payment. */
export const collectedChannel = "bench_collected";

/**
 * From now on each event that says that a payment succeeded is announced at its commit, with the id of its
 * intent. Creates the tables of the floor: what is to be paid, and events.
 */
export async function createCollection(db: Client): Promise<void> {
	await db.query(`
		create function bench_collected() returns trigger language plpgsql as $$
		begin perform pg_notify('${collectedChannel}', new.envelope->'data'->>'intent_id'); return new; end $$;
		create trigger bench_collected after insert on outbox for each row
		  when (new.envelope->>'type' = 'treasury.payment.succeeded') execute function bench_collected();
		create table floor_intents (
		  id uuid primary key, tenant_id uuid not null, amount_minor bigint not null, phone text not null, prompt text unique);
		create table floor_events (id bigint generated always as identity primary key, intent_id uuid not null, data jsonb not null)`);
}

export type FloorIntent = { id: string; tenantId: string; amountMinor: number; phone: string };

/** Stores what is to be paid, committed before the gateway is called. */
export async function insertIntent(
	db: Client,
	{ id, tenantId, amountMinor, phone }: FloorIntent,
): Promise<void> {
	const text = "insert into floor_intents (id, tenant_id, amount_minor, phone) values ($1, $2, $3, $4)";
	await db.query({ name: "floor-intent", text, values: [id, tenantId, amountMinor, phone] });
}

/** Stores which prompt the gateway made of an intent. */
export async function recordPrompt(db: Client, id: string, prompt: string): Promise<void> {
	const text = "update floor_intents set prompt = $2 where id = $1";
	await db.query({ name: "floor-prompt", text, values: [id, prompt] });
}

/** Keeps the bytes of a callback. Returns the id of the row. */
export const keepCallback = (db: Client, raw: Buffer): Promise<string> => insertBytes(db, raw);

/** Posts the journal of a callback and stores its event, and announces the intent at the commit. */
export async function postCollection(
	db: Client,
	{ id, prompt }: { id: string; prompt: string },
): Promise<void> {
	await db.query({
		name: "floor-collection",
		text: `with done as (update floor_webhooks set is_posted = true where id = $1 returning id),
		            paid as (select i.* from done, floor_intents i where i.prompt = $2),
		            stored as (insert into floor_events (intent_id, data)
		                     select id, jsonb_build_object('intent_id', id, 'tenant_id', tenant_id, 'amount_minor', amount_minor) from paid)
		       select floor_post(tenant_id, 1), pg_notify('${collectedChannel}', id::text) from paid`,
		values: [id, prompt],
	});
}

/** Counts the payments that succeeded in the service and in the floor, and adds up the ledger. */
export async function countCollected(db: Client): Promise<{ service: number; floor: number; total: number }> {
	const { rows } = await db.query<{ service: number; floor: number; total: string }>(
		`select (select count(*)::int from intents where status = 'succeeded' and source_service = 'treasury') as service,
		        (select count(*)::int from floor_events) as floor,
		        (select coalesce(sum(total_minor), 0)::bigint from ledger_totals()) as total`,
	);
	const { service = 0, floor = 0, total = 0 } = rows[0] ?? {};
	return { service, floor, total: Number(total) };
}
