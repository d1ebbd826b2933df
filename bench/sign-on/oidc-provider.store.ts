import type { Adapter, AdapterPayload } from "oidc-provider";
import type pg from "pg";
import { type Person, personOf } from "./person.ts";

/** One table for all models by id, with the look-ups that the library needs, and a table of people. */
const tables = `
create table records (
  id text primary key,
  payload jsonb not null,
  grant_id text,
  user_code text,
  uid text,
  expires_at timestamptz,
  consumed_at timestamptz
);
create index on records (grant_id) where grant_id is not null;
create index on records (uid) where uid is not null;
create index on records (user_code) where user_code is not null;
create table people (id text primary key, email text not null, name text not null, claims jsonb not null)`;

/** Creates the tables and the people. */
export async function prepareRecords(pool: pg.Pool, people: number): Promise<void> {
	await pool.query(tables);
	const everyone = Array.from({ length: people }, (_, number) => ({
		id: String(number),
		...personOf(number),
	}));
	await pool.query(
		`insert into people (id, email, name, claims)
		 select id, email, name, claims from jsonb_to_recordset($1) as p (id text, email text, name text, claims jsonb)`,
		[JSON.stringify(everyone)],
	);
}

export async function findPerson(pool: pg.Pool, id: string): Promise<Person | undefined> {
	const text = "select email, name, claims from people where id = $1";
	const { rows } = await pool.query<Person>({ name: "find-person", text, values: [id] });
	return rows[0];
}

type RecordRow = { payload: AdapterPayload; consumed: string | null };

/** The storage adapter of the library: one prepared statement per operation. */
export function recordsIn(pool: pg.Pool): (model: string) => Adapter {
	const run = async (name: string, text: string, values: unknown[]): Promise<RecordRow[]> =>
		(await pool.query<RecordRow>({ name, text, values })).rows;
	const found = ([row]: RecordRow[]): AdapterPayload | undefined =>
		row && { ...row.payload, ...(row.consumed !== null && { consumed: Number(row.consumed) }) };
	const select = `select payload, extract(epoch from consumed_at)::bigint as consumed from records
		where (expires_at is null or expires_at > now())`;

	return (model) => ({
		async upsert(id, payload, expiresIn) {
			const { grantId, userCode, uid } = payload;
			await run(
				"upsert",
				`insert into records (id, payload, grant_id, user_code, uid, expires_at)
				 values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
				 on conflict (id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
				   user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
				[`${model}:${id}`, JSON.stringify(payload), grantId, userCode, uid, expiresIn || null],
			);
		},
		find: async (id) => found(await run("find", `${select} and id = $1`, [`${model}:${id}`])),
		findByUid: async (uid) => found(await run("find-by-uid", `${select} and uid = $1`, [uid])),
		findByUserCode: async (code) => found(await run("find-by-code", `${select} and user_code = $1`, [code])),
		async consume(id) {
			await run("consume", "update records set consumed_at = now() where id = $1", [`${model}:${id}`]);
		},
		async destroy(id) {
			await run("destroy", "delete from records where id = $1", [`${model}:${id}`]);
		},
		async revokeByGrantId(grantId) {
			await run("revoke", "delete from records where grant_id = $1", [grantId]);
		},
	});
}
