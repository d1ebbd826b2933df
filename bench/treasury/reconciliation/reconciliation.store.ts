import type pg from "pg";
import {
	currency,
	numberOf,
	paymentsOf,
	positionsOf,
	type Statement,
	shortcode,
	textOfException,
} from "./stated.ts";

type Client = Pick<pg.Client | pg.Pool, "query">;

/** Gives a tenant the shortcode of the statements. */
export async function addShortcode(db: Client, tenantId: string): Promise<void> {
	await db.query(
		"insert into locators (kind, value, tenant_id, object_id) values ('shortcode', $1, $2, $2)",
		[...[shortcode, tenantId]],
	);
}

/** The number of a payment in SQL, by its ordinal, as `numberOf` makes it. */
const createNumbers = `create function bench_number(n bigint) returns text language sql immutable as $$
  select 'RB' || string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', (n / (36 ^ p)::bigint % 36)::integer + 1, 1), '' order by p desc)
    from generate_series(0, 7) p $$`;

/**
 * Creates what adds receipts, and the tables of the floor: lines by their number, and what differs.
 */
export async function createReconciliation(db: Client): Promise<void> {
	await db.query(createNumbers);
	await db.query(`
		create table floor_lines (number text primary key, at timestamptz not null, amount_minor bigint not null, receipt_id uuid);
		create table floor_differences (number text primary key, theirs_minor bigint, ours_minor bigint)`);
}

/**
 * Adds the receipts of a statement, as the confirmations of their payments would have left them: each with
 * its number among the locators, and verified. Of journals there are none: comparing reads none.
 */
export async function addReceipts(db: Client, tenantId: string, statement: Statement): Promise<void> {
	const { first, lines, startsAt } = statement;
	const payments = paymentsOf(lines);
	const left = positionsOf(lines, "missing_here").map((position) => first + position);
	const numbered = `select n, ('00000000-0000-4000-a000-' || lpad(to_hex(n), 12, '0'))::uuid as id, bench_number(n) as number,
		       100 + n * 7919 % 7000000 as amount_minor,
		       to_timestamp($2::double precision / 1000 + (n - ${first}) * 86400::double precision / ${payments}) as at
		  from generate_series(${first}::bigint, ${first + payments - 1}) n where n <> all ($3::bigint[])`;
	const given = [tenantId, startsAt, left];
	await db.query(
		`with numbered as (${numbered})
		 insert into receipts (tenant_id, id, gateway, kind, receipt, shortcode, channel, custody, amount_minor, currency, occurred_at,
		   account_ref, payer_masked, state, allocated_minor, created_at)
		 select $1, id, 'mobile_money', 'collection', number, '${shortcode}', 'account', 'tenant', amount_minor, '${currency}', at,
		   null, '2547•••••' || lpad((n % 1000)::text, 3, '0'), 'verified', amount_minor, at from numbered`,
		given,
	);
	await db.query(
		`with numbered as (${numbered})
		 insert into locators (kind, value, tenant_id, object_id)
		 select 'receipt', 'mobile_money:collection:' || number, $1, id from numbered`,
		given,
	);
}

/** Whether SQL numbers payments as `numberOf` does. */
export async function isNumberedAlike(db: Client, n: number): Promise<boolean> {
	const { rows } = await db.query<{ number: string }>("select bench_number($1) as number", [n]);
	return rows[0]?.number === numberOf(n);
}

/** The open exceptions, as `expectedOf` states them. */
export async function listRaised(db: Client): Promise<string[]> {
	const { rows } = await db.query<Parameters<typeof textOfException>[0]>(
		`select class, subject, amount_minor::text as amount, ours->>'amount_minor' as ours, theirs->>'amount_minor' as theirs
		   from exceptions where state = 'open'`,
	);
	return rows.map(textOfException);
}

/** The lines that have their receipt, and what both come to in cents. */
export type Matched = { lines: number; theirs: bigint; ours: bigint; unequal: number };

/** Adds up the lines that have a receipt, and the receipts that they have. */
export async function sumMatched(db: Client): Promise<Matched> {
	const { rows } = await db.query<{ lines: number; theirs: string; ours: string; unequal: number }>(
		`select count(*)::int as lines, coalesce(sum(n.amount_minor), 0)::bigint as theirs, coalesce(sum(r.amount_minor), 0)::bigint as ours,
		        (count(*) filter (where r.amount_minor is distinct from n.amount_minor or r.receipt is distinct from n.reference))::int as unequal
		   from statement_lines n left join receipts r on r.id = n.object_id
		  where n.source = $1 and n.object_id is not null`,
		[shortcode],
	);
	const { lines = 0, theirs = 0, ours = 0, unequal = 0 } = rows[0] ?? {};
	return { lines, unequal, theirs: BigInt(theirs), ours: BigInt(ours) };
}

export type FloorLines = { numbers: string[]; at: string[]; amounts: bigint[] };

/**
 * What the floor does with a statement, in one transaction: it stores the lines, finds their receipts by
 * number and amount, and stores the lines that have none.
 */
export async function compareAtFloor(db: pg.Pool, tenantId: string, lines: FloorLines): Promise<void> {
	const client = await db.connect();
	try {
		await client.query("begin");
		await client.query(
			"insert into floor_lines (number, at, amount_minor) select * from unnest($1::text[], $2::timestamptz[], $3::bigint[])",
			[lines.numbers, lines.at, lines.amounts],
		);
		await client.query(
			`update floor_lines n set receipt_id = r.id from receipts r
			  where n.number = any ($2::text[]) and r.tenant_id = $1 and r.gateway = 'mobile_money' and r.kind = 'collection'
			    and r.receipt = n.number and r.amount_minor = n.amount_minor`,
			[tenantId, lines.numbers],
		);
		await client.query(
			`insert into floor_differences select n.number, n.amount_minor, r.amount_minor
			   from floor_lines n left join receipts r on r.tenant_id = $1 and r.gateway = 'mobile_money' and r.kind = 'collection'
			    and r.receipt = n.number
			  where n.number = any ($2::text[]) and n.receipt_id is null`,
			[tenantId, lines.numbers],
		);
		await client.query("commit");
	} catch (error) {
		await client.query("rollback");
		throw error;
	} finally {
		client.release();
	}
}

/** What the floor does at the end: it stores the receipts that no line has. */
export async function compareRestAtFloor(db: Client, tenantId: string): Promise<void> {
	await db.query(
		`insert into floor_differences select r.receipt, null, r.amount_minor from receipts r
		  where r.tenant_id = $1 and r.shortcode = '${shortcode}' and not exists (select from floor_lines n where n.number = r.receipt)
		 on conflict do nothing`,
		[tenantId],
	);
}

/** Counts what the floor found to differ. */
export async function countAtFloor(db: Client): Promise<number> {
	const { rows } = await db.query<{ count: number }>("select count(*)::int as count from floor_differences");
	return rows[0]?.count ?? 0;
}
