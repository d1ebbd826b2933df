import type pg from "pg";

type Client = Pick<pg.Client | pg.Pool, "query">;

/**
 * Creates the tables of the floor and its function: the rows of a journal with five postings and the
 * changes of five balances, without accounts by code, checks, hash, tenants or rights.
 */
export async function createFloor(db: Client, tenants: readonly string[]): Promise<void> {
	await db.query(`
		create table floor_balances (account_id uuid, shard integer, balance_minor bigint not null, primary key (account_id, shard));
		create table floor_journals (
		  id bigint generated always as identity primary key, tenant_id uuid, source_id uuid not null unique, evidence_id uuid not null,
		  purpose text not null, posted_at timestamptz not null, hash bytea not null);
		create table floor_postings (
		  journal_id bigint, line integer, account_id uuid not null, tenant_id uuid, side text not null, amount_minor bigint not null,
		  posted_at timestamptz not null, primary key (journal_id, line));
		create index on floor_postings (account_id, posted_at, journal_id, line);
		create function floor_account(p_tenant uuid, p_kind integer) returns uuid language sql immutable as
		  $$ select md5(coalesce(p_tenant::text, '') || p_kind)::uuid $$;
		create function floor_post(p_tenant uuid, p_shards integer) returns void language plpgsql as $$
		declare
		  v_accounts constant uuid[] := array(select a from unnest(array[floor_account(null, 1), floor_account(null, 2), floor_account(null, 3),
		    floor_account(p_tenant, 4), floor_account(p_tenant, 5)]) a order by a);
		  v_id bigint;
		  v_one uuid;
		begin
		  insert into floor_journals (tenant_id, source_id, evidence_id, purpose, posted_at, hash)
		  values (p_tenant, gen_random_uuid(), gen_random_uuid(), 'collection', now(), decode(repeat('00', 32), 'hex')) returning id into v_id;
		  insert into floor_postings select v_id, line, a, p_tenant, 'debit', 1, now() from unnest(v_accounts) with ordinality u (a, line);
		  foreach v_one in array v_accounts loop
		    update floor_balances set balance_minor = balance_minor + 1
		     where account_id = v_one and shard = pg_backend_pid() % case when v_one in (floor_account(null, 1), floor_account(null, 2),
		       floor_account(null, 3)) then 16 else p_shards end;
		  end loop;
		end $$`);
	await db.query(
		`insert into floor_balances select floor_account(null, k), s, 0 from generate_series(1, 3) k, generate_series(0, 15) s`,
	);
	await db.query(
		`insert into floor_balances select floor_account(t, k), s, 0 from unnest($1::uuid[]) t, generate_series(4, 5) k, generate_series(0, 7) s`,
		[tenants],
	);
}

/** Writes the rows of one journal of the floor. */
export async function postFloor(db: Client, tenantId: string, shards: number): Promise<void> {
	await db.query({ name: "floor", text: "select floor_post($1, $2)", values: [tenantId, shards] });
}

/** Adds tenants to the database of the service. Returns their ids. */
export async function addTenants(db: Client, many: number): Promise<string[]> {
	const { rows } = await db.query<{ id: string }>(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
		 select id, id::text, 'Bench', 'active', 'Africa/Nairobi', 'KES', 'en', now()
		   from (select gen_random_uuid() as id from generate_series(1, $1)) made returning id`,
		[many],
	);
	return rows.map(({ id }) => id);
}

/** Gives the accounts of a tenant eight shards, as an operator does for a busy one. */
export async function spreadAccounts(db: Client, tenantId: string): Promise<void> {
	await db.query("select set_ledger_shards(id, 8) from ledger_accounts where tenant_id = $1", [tenantId]);
}

/** The sum of all balances of the ledger, which is 0, and the number of its journals. */
export async function readLedger(db: Client): Promise<{ total: number; journals: number }> {
	const { rows } = await db.query<{ total: string | null; journals: string }>(
		"select (select sum(total_minor) from ledger_totals()) as total, (select count(*) from journals) as journals",
	);
	return { total: Number(rows[0]?.total ?? 0), journals: Number(rows[0]?.journals ?? 0) };
}
