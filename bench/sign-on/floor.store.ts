import type pg from "pg";

/** The least that a sign-on service keeps: a code that becomes a session, and the hash of its live refresh token. */
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

export type FloorSession = { person: number; code_challenge: string; nonce: string; generation: number };

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

/** The code becomes its session. */
export async function takeCode(
	pool: pg.Pool,
	id: string,
	refreshHash: Buffer,
): Promise<FloorSession | undefined> {
	const { rows } = await pool.query<FloorSession>({
		name: "use-code",
		text: `update sessions set refresh_hash = $2, used_at = now() where id = $1 and used_at is null
		       returning person, code_challenge, nonce, generation`,
		values: [id, refreshHash],
	});
	return rows[0];
}

export async function rotate(
	pool: pg.Pool,
	{ id, hash, nextHash }: { id: string; hash: Buffer; nextHash: Buffer },
): Promise<FloorSession | undefined> {
	const { rows } = await pool.query<FloorSession>({
		name: "rotate",
		text: `update sessions set refresh_hash = $3, generation = generation + 1, used_at = now()
		        where id = $1 and refresh_hash = $2 returning person, code_challenge, nonce, generation`,
		values: [id, hash, nextHash],
	});
	return rows[0];
}
