import type pg from "pg";
import { type Person, personOf } from "./person.ts";

/**
 * The minimum that a sign-on service stores: a code that becomes a session, and the hash of its live refresh
 * token.
 */
const table = `
create table sessions (
  id uuid primary key,
  person integer not null,
  code_challenge text not null,
  nonce text not null,
  generation integer not null default 0,
  refresh_hash bytea,
  used_at timestamptz
)`;

/** The sources of the claims of a token, in the fewest tables that separate people, tenants and outlets. */
const claimTables = `
create table tenants (id uuid primary key default gen_random_uuid(), slug text not null unique);
create table outlets (id uuid primary key default gen_random_uuid(), tenant uuid not null references tenants,
  code text not null, use_case text not null, is_hq boolean not null);
create table people (id integer primary key, email text not null, name text not null, status text not null);
create table memberships (person integer primary key references people, tenant uuid not null references tenants,
  outlet uuid not null references outlets, roles text[] not null, permissions text[] not null)`;

const claimRows = `
with t as (insert into tenants (slug) select 'tenant-' || n from generate_series(0, 9) n returning id, slug),
     o as (insert into outlets (tenant, code, use_case, is_hq) select id, 'MAIN', 'retail', false from t returning id, tenant),
     p as (insert into people (id, email, name, status)
           select n, 'person-' || n || '@bench.example', 'Person Number ' || n, 'active'
             from generate_series(0, $1::int - 1) n returning id)
insert into memberships (person, tenant, outlet, roles, permissions)
select p.id, t.id, o.id, $2, $3 from p join t on t.slug = 'tenant-' || (p.id % 10) join o on o.tenant = t.id`;

/** Creates and fills the tables of the claims. */
export async function prepareClaims(pool: pg.Pool, people: number): Promise<void> {
	const { roles, permissions } = personOf(0).claims;
	await pool.query(claimTables);
	await pool.query(claimRows, [people, roles, permissions]);
	await pool.query("analyze tenants, outlets, people, memberships");
}

/** The rows of the statement with the claims of their person. */
const withClaims = (statement: string) => `
with session as (${statement})
select session.*, json_build_object('email', p.email, 'name', p.name, 'claims', json_build_object(
         'tenant_id', t.id, 'tenant_slug', t.slug, 'email', p.email, 'name', p.name, 'user_status', p.status, 'roles', m.roles,
         'permissions', m.permissions, 'outlet_id', o.id, 'outlet_code', o.code, 'outlet_use_case', o.use_case,
         'is_hq_user', o.is_hq, 'products', '{}'::text[])) as said
  from session join people p on p.id = session.person join memberships m on m.person = p.id
  join tenants t on t.id = m.tenant join outlets o on o.id = m.outlet`;

export type FloorSession = {
	person: number;
	code_challenge: string;
	nonce: string;
	generation: number;
	said?: Person;
};

export async function prepareFloor(pool: pg.Pool): Promise<void> {
	await pool.query(table);
}

export async function recordCode(
	pool: pg.Pool,
	code: { id: string; person: number; codeChallenge: string; nonce: string },
): Promise<void> {
	await pool.query({
		name: "record-code",
		text: "insert into sessions (id, person, code_challenge, nonce) values ($1, $2, $3, $4)",
		values: [code.id, code.person, code.codeChallenge, code.nonce],
	});
}

const useCode = `update sessions set refresh_hash = $2, used_at = now() where id = $1 and used_at is null
	returning person, code_challenge, nonce, generation`;
const useToken = `update sessions set refresh_hash = $3, generation = generation + 1, used_at = now()
	where id = $1 and refresh_hash = $2 returning person, code_challenge, nonce, generation`;

/** The statements of sessions. With `readsClaims` the same statement also returns the claims. */
export function floorSessions(pool: pg.Pool, readsClaims: boolean) {
	const complete = (statement: string) => (readsClaims ? withClaims(statement) : statement);
	const [codeText, tokenText] = [complete(useCode), complete(useToken)];
	const one = async (name: string, text: string, values: unknown[]) => {
		const { rows } = await pool.query<FloorSession>({ name, text, values });
		return rows[0];
	};
	return {
		/** Turns a code into its session. */
		takeCode: (id: string, refreshHash: Buffer) => one("use-code", codeText, [id, refreshHash]),
		rotate: ({ id, hash, nextHash }: { id: string; hash: Buffer; nextHash: Buffer }) =>
			one("rotate", tokenText, [id, hash, nextHash]),
	};
}
