import type pg from "pg";

type Client = Pick<pg.Client, "query">;

/** The table of the floor. */
export async function createFloorTable(db: Client): Promise<void> {
	await db.query("create table if not exists floor_messages (id uuid primary key, body jsonb not null)");
}

export async function insertMessage(db: Client, id: string, body: unknown): Promise<void> {
	await db.query("insert into floor_messages (id, body) values ($1, $2)", [id, JSON.stringify(body)]);
}

/** Stores items of inboxes, and notifies of each. */
export async function insertItems(
	db: Client,
	items: ReadonlyArray<{ user: string; id: string }>,
): Promise<void> {
	await db.query(
		`with added as (
		   insert into floor_messages (id, body) select (i->>'id')::uuid, i from jsonb_array_elements($1) i returning body
		 )
		 select pg_notify('floor_items', body::text) from added`,
		[JSON.stringify(items)],
	);
}

/** The table of the states that reports of the peer state. */
export async function createPeerTable(db: Client): Promise<void> {
	await db.query("create table if not exists peer_states (ref text primary key, status text not null)");
}

/** Stores the state of each message of which a report of the peer says it. */
export async function storeStates(
	db: Client,
	states: ReadonlyArray<{ id: string; status: string }>,
): Promise<void> {
	await db.query(
		`insert into peer_states (ref, status)
		 select distinct on (s->>'id') s->>'id', s->>'status' from jsonb_array_elements($1) s
		 on conflict (ref) do update set status = excluded.status`,
		[JSON.stringify(states)],
	);
}

/** Sets limits of requests and of channels that are counted and never reached. */
export async function raiseLimits(db: Client): Promise<void> {
	await db.query("update rate_limit_config set requests = 2000000000");
	await db.query("update platform_limits set per_minute = 1000000, burst = 1000000");
}

/** Lets every provider take 10,000 messages a second, 200 at once. */
export async function raisePace(db: Client): Promise<void> {
	for (const table of ["providers", "platform_providers"])
		await db.query(`update ${table} set per_second = 10000, in_flight_max = 200`);
}

/** Lets a provider of a tenant send to an address of the bench, as fast as the platform's. */
export async function leadTo(db: Client, { id, url }: { id: string; url: string }): Promise<void> {
	await db.query(
		"update providers set base_url = $2, per_second = 10000, in_flight_max = 200 where id = $1",
		[id, url],
	);
	await db.query("select pg_notify('notifications_changed', 'providers')");
}

/** Removes the providers of tenants. */
export async function removeOwnProviders(db: Client): Promise<void> {
	await db.query("delete from providers");
}

/** The columns of a table with the expression of each: in `changed`, else that of the row `copied`. */
async function columnsOf(
	db: Client,
	table: string,
	changed: Readonly<Record<string, string>>,
): Promise<string> {
	const { rows } = await db.query<{ name: string }>(
		`select column_name as name from information_schema.columns
		  where table_schema = 'public' and table_name = $1 order by ordinal_position`,
		[table],
	);
	return rows.map(({ name }) => changed[name] ?? `copied.${name}`).join(", ");
}

type Copies = { tenantId: string; deliveries: number; each: number };
type Changed = Readonly<Record<"message" | "delivery", Readonly<Record<string, string>>>>;

/**
 * Copies the latest message of a tenant and its delivery, without checks of foreign keys: a million rows take
 * seconds. Expressions know the ordinal of the message as `m.at`, and that of its delivery as `n`.
 */
async function copyMessage(
	db: Client,
	{ tenantId, deliveries, each }: Copies,
	changed: Changed,
): Promise<void> {
	const messages = Math.ceil(deliveries / each);
	const message = await columnsOf(db, "messages", {
		...{ id: "gen_random_uuid()", recipients: String(each), expires_at: "now() + interval '3 days'" },
		...changed.message,
	});
	const delivery = await columnsOf(db, "message_deliveries", {
		...{
			id: "gen_random_uuid()",
			message_id: "m.id",
			position: "n",
			due_at: "now()",
			attempt: "0",
			final_at: "null",
		},
		...{ expires_at: "now() + interval '3 days'", address_key: "decode(md5(m.id::text || n), 'hex')" },
		...changed.delivery,
	});
	const latest = (table: string) =>
		`(select * from ${table} where tenant_id = '${tenantId}' order by created_at desc limit 1) copied`;
	await db.query("begin; set local session_replication_role = replica");
	await db.query(
		`with stored as (
		   insert into messages select ${message} from ${latest("messages")}, generate_series(1, ${messages}) returning id
		 )
		 insert into message_deliveries select ${delivery} from ${latest("message_deliveries")},
		   (select id, row_number() over () - 1 as at from stored) m, generate_series(0, ${each - 1}) n`,
	);
	await db.query("commit");
}

/** Adds a backlog to a tenant: copies of its latest message, of class bulk and due now. */
export async function addBacklog(db: Client, copies: Copies): Promise<void> {
	const bulk = { class: "'bulk'" };
	await copyMessage(db, copies, {
		message: { ...bulk, pending: String(copies.each) },
		delivery: { ...bulk, status: "'queued'", rank: "0" },
	});
	await db.query(
		`insert into lanes (tenant_id, channel, class, next_due_at, served_at) values ($1, 'email', 'bulk', now(), now())
		 on conflict on constraint lanes__pkey do update set next_due_at = now()`,
		[copies.tenantId],
	);
}

/** The provider's id of the nth message of `addSent`. */
export const refOf = (n: number): string => `wamid.bench-${n}`;

/** Adds deliveries to a tenant that a provider accepted, for reports: copies of its latest message. */
export async function addSent(
	db: Client,
	{ providerId, ...copies }: Copies & { providerId: string },
): Promise<void> {
	await copyMessage(db, copies, {
		message: { pending: "0" },
		delivery: {
			...{ status: "'sent'", rank: "1", sent_at: "now()", attempt: "1", provider_id: `'${providerId}'` },
			ref: `'${refOf(0).slice(0, -1)}' || (m.at * ${copies.each} + n)`,
		},
	});
}

/** How many deliveries a report has moved. */
export async function countReported(db: Client): Promise<number> {
	const { rows } = await db.query<{ n: number }>(
		"select count(*)::int as n from message_deliveries where status = 'delivered'",
	);
	return rows[0]?.n ?? 0;
}

/** Adds people who can have an inbox. */
export async function addRecipients(
	db: Client,
	{ tenantId, ids }: { tenantId: string; ids: readonly string[] },
): Promise<void> {
	await db.query(
		`insert into recipients (tenant_id, id, name, roles, status, created_at, updated_at)
		 select $1, id, 'Amina', '{staff}', 'active', now(), now() from unnest($2::uuid[]) id`,
		[tenantId, [...ids]],
	);
}

/** Adds an item to the inbox of each person by one statement. Returns the ids of the items. */
export async function addItems(
	db: Client,
	{ tenantId, userIds }: { tenantId: string; userIds: readonly string[] },
): Promise<string[]> {
	const { rows } = await db.query<{ id: string }>(
		`insert into inbox_items (tenant_id, id, user_id, title, body, category, template, created_at)
		 select $1, gen_random_uuid(), id, 'Results are ready', 'Please call the ward before noon.', 'general',
		        'shared/generic_notification', clock_timestamp() from unnest($2::uuid[]) id
		 returning id`,
		[tenantId, [...userIds]],
	);
	return rows.map(({ id }) => id);
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
		"truncate messages, message_deliveries, delivery_events, lanes, idempotency_keys, send_days, provider_reports, outbox cascade",
	);
}
