import type pg from "pg";

type Client = Pick<pg.Client, "query">;

/** The table of the floor. */
export async function createFloorTable(db: Client): Promise<void> {
	await db.query("create table if not exists floor_messages (id uuid primary key, body jsonb not null)");
}

export async function insertMessage(db: Client, id: string, body: unknown): Promise<void> {
	await db.query("insert into floor_messages (id, body) values ($1, $2)", [id, JSON.stringify(body)]);
}

/** Sets limits of requests and of channels that are counted and never reached. */
export async function raiseLimits(db: Client): Promise<void> {
	await db.query("update rate_limit_config set requests = 2000000000");
	await db.query("update limits set per_minute = 1000000, burst = 1000000");
}

/** Lets every provider take 10,000 messages a second, 200 at once. */
export async function raisePace(db: Client): Promise<void> {
	await db.query("update providers set per_second = 10000, in_flight_max = 200");
}

/**
 * Adds a backlog to a tenant: copies of its latest message with `each` deliveries, due now, of class bulk.
 * Their addresses are the one of the copied delivery, under different address keys.
 */
export async function addBacklog(
	db: Client,
	{ tenantId, deliveries, each }: { tenantId: string; deliveries: number; each: number },
): Promise<void> {
	const messages = Math.ceil(deliveries / each);
	await db.query(
		`with made as (
		   select (jsonb_populate_record(copied.m, jsonb_build_object('id', gen_random_uuid(), 'class', 'bulk',
		            'recipients', $3::int, 'pending', $3::int, 'expires_at', now() + interval '3 days'))).*
		     from (select m from messages m where tenant_id = $1 order by created_at desc limit 1) copied,
		          generate_series(1, $2::int)
		 ), stored as (insert into messages select * from made returning id)
		 insert into message_deliveries
		 select (jsonb_populate_record(copied.d, jsonb_build_object('id', gen_random_uuid(), 'message_id', stored.id,
		          'position', n, 'class', 'bulk', 'status', 'queued', 'attempt', 0, 'rank', 0, 'due_at', now(), 'final_at', null,
		          'expires_at', now() + interval '3 days', 'address_key', '\\x' || md5(stored.id::text || n)))).*
		   from stored, generate_series(0, $3::int - 1) n,
		        (select d from message_deliveries d where tenant_id = $1 order by created_at desc limit 1) copied`,
		[tenantId, messages, each],
	);
	await db.query(
		`insert into lanes (tenant_id, channel, class, next_due_at, served_at) values ($1, 'email', 'bulk', now(), now())
		 on conflict on constraint lanes__pkey do update set next_due_at = now()`,
		[tenantId],
	);
}

/** How many deliveries of a class are still queued or being sent. */
export async function countOpen(db: Client, messageClass: string): Promise<number> {
	const { rows } = await db.query<{ n: number }>(
		"select count(*)::int as n from message_deliveries where class = $1 and status in ('queued', 'sending')",
		[messageClass],
	);
	return rows[0]?.n ?? 0;
}

/** Removes all messages and their lanes. */
export async function removeMessages(db: Client): Promise<void> {
	await db.query(
		"truncate messages, message_deliveries, delivery_events, lanes, idempotency_keys, send_days, outbox cascade",
	);
}
