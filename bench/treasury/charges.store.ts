import type pg from "pg";

type Client = Pick<pg.Client | pg.Pool, "query">;

type Attempts = { tenants: readonly string[]; from: number; count: number };

/**
 * Adds intents of the tenants in turn, each with an attempt that waits for the card gateway. The nth attempt
 * has the reference of `referenceOf` and the id of `ordinalOf`.
 */
export async function addAttempts(db: Client, { tenants, from, count }: Attempts): Promise<void> {
	const numbered = `select n, ($1::uuid[])[1 + n % ${tenants.length}] as tenant_id, lpad(to_hex(n), 12, '0') as hex
		  from generate_series(${from}, ${from + count - 1}) n`;
	for (const text of [
		`insert into intents (tenant_id, id, payee, source_service, operation_id, description, amount_minor, currency, status, asked_attempt,
		   asked_at, account_code, pay_code_hash, pay_code_sealed, pay_code_key_id, channels, customer, metadata, expires_at, version,
		   created_by_kind, created_by, fingerprint, created_at)
		 select tenant_id, ('00000000-0000-4000-9000-' || hex)::uuid, 'tenant', 'bench', gen_random_uuid(), 'Bench', 100000, 'KES',
		   'processing', 1, now(), lpad(n::text, 9, '0') || '0', decode(md5(n::text), 'hex'), '', 'bench', '{card}', '{}', '{}',
		   now() + interval '1 day', 1, 'service', 'bench', '', now() from (${numbered}) numbered`,
		`insert into attempts (tenant_id, id, intent_id, seq, amount_minor, channel, custody, status, rank, reference, submitted_at,
		   expires_at, created_at)
		 select tenant_id, ('00000000-0000-4000-8000-' || hex)::uuid, ('00000000-0000-4000-9000-' || hex)::uuid, 1, 100000, 'checkout',
		   'platform', 'awaiting', 2, 'pay-' || lpad(hex, 32, '0'), now(), now() + interval '1 day', now() from (${numbered}) numbered`,
		`insert into locators (kind, value, tenant_id, object_id)
		 select 'reference', 'pay-' || lpad(hex, 32, '0'), tenant_id, ('00000000-0000-4000-8000-' || hex)::uuid from (${numbered}) numbered`,
	])
		await db.query(text, [tenants]);
}

/** Creates the table in which the floor keeps the bytes of webhooks. */
export async function createFloorOfWebhooks(db: Client): Promise<void> {
	await db.query(
		`create table floor_webhooks (
		   id bigint generated always as identity primary key, raw bytea not null, is_posted boolean not null default false);
		 create index on floor_webhooks (id) where not is_posted`,
	);
}

/** Keeps the bytes of a webhook of the floor. Returns the id of the row. */
export async function insertBytes(db: Client, raw: Buffer): Promise<string> {
	const text = "insert into floor_webhooks (raw) values ($1) returning id::text as id";
	const { rows } = await db.query<{ id: string }>({ name: "floor-webhook", text, values: [raw] });
	return rows[0]?.id ?? "";
}

/** Posts the journal of the floor for a webhook, and announces its attempt at the commit. */
export async function postCharge(
	db: Client,
	{ id, reference }: { id: string; reference: string },
): Promise<void> {
	await db.query({
		name: "floor-charge",
		text: `with done as (update floor_webhooks set is_posted = true where id = $1 returning id)
		       select floor_post(tenant_id, 1), pg_notify('${postedChannel}', object_id::text)
		         from done, locators where kind = 'reference' and value = $2`,
		values: [id, reference],
	});
}

/** The channel on which the attempts are announced whose money is posted. */
export const postedChannel = "bench_posted";

/** From now on each attempt is announced at the commit of its receipt and journal. */
export async function announceReceipts(db: Client): Promise<void> {
	await db.query(`
		create function bench_announce() returns trigger language plpgsql as $$
		begin perform pg_notify('${postedChannel}', new.attempt_id::text); return new; end $$;
		create trigger bench_announce after insert on receipts for each row execute function bench_announce()`);
}

/** Counts the stored webhooks of the service and of the floor that are not applied. */
export async function countWaiting(db: Client): Promise<number> {
	const { rows } = await db.query<{ waiting: number }>(
		`select (select count(*)::int from webhook_deliveries where status = 'received')
		        + (select count(*)::int from floor_webhooks where not is_posted) as waiting`,
	);
	return rows[0]?.waiting ?? 0;
}

/** Counts the stored webhooks of the service that were not applied as they should be. */
export async function countFailed(db: Client): Promise<number> {
	const { rows } = await db.query<{ failed: number }>(
		"select count(*)::int as failed from webhook_deliveries where status <> 'done' or error is not null",
	);
	return rows[0]?.failed ?? 0;
}
