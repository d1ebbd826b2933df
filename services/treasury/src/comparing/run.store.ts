import type { Database } from "@lango/postgres";
import type { Run, RunKind } from "./run.ts";

type Row = {
	id: string;
	kind: RunKind;
	from_at: Date;
	to_at: Date;
	state: Run["state"];
	found: number | null;
	failure: string | null;
	created_by: string;
	created_at: Date;
	ended_at: Date | null;
};

const columns = "id, kind, from_at, to_at, state, found, failure, created_by, created_at, ended_at";

const fromRow = (row: Row): Run => ({
	...{ id: row.id, kind: row.kind, from: row.from_at, to: row.to_at, state: row.state },
	failure: row.failure ?? undefined,
	...{ found: row.found ?? undefined, createdBy: row.created_by, createdAt: row.created_at },
	endedAt: row.ended_at ?? undefined,
});

/** Records a run that waits. */
export async function recordRun(
	tx: Database,
	run: Pick<Run, "id" | "kind" | "from" | "to" | "createdBy" | "createdAt">,
): Promise<void> {
	await tx.query(
		`insert into runs (id, kind, from_at, to_at, state, created_by, created_at) values ($1, $2, $3, $4, 'waiting', $5, $6)`,
		[run.id, run.kind, run.from, run.to, run.createdBy, run.createdAt],
	);
}

/** Returns a run. */
export async function findRun(db: Database, id: string): Promise<Run | undefined> {
	const [row] = await db.query<Row>(`select ${columns} from runs where id = $1`, [id]);
	return row && fromRow(row);
}

/** Notes that a run ended. */
export async function endRun(
	db: Database,
	{ id, found, at }: { id: string; found: number; at: Date },
): Promise<void> {
	await db.query("update runs set state = 'done', found = $2, failure = null, ended_at = $3 where id = $1", [
		id,
		found,
		at,
	]);
}

/** Notes that a run failed. */
export async function failRun(
	db: Database,
	{ id, failure, at }: { id: string; failure: string; at: Date },
): Promise<void> {
	await db.query("update runs set state = 'failed', failure = $2, ended_at = $3 where id = $1", [
		...[id, failure, at],
	]);
}

/** Lists runs, the newest first. */
export async function listRuns(
	db: Database,
	{ before, limit }: { before: string | undefined; limit: number },
): Promise<Run[]> {
	const rows = await db.query<Row>(
		`select ${columns} from runs where ($1::uuid is null or id < $1) order by id desc limit $2`,
		[before ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Lists runs that wait since before a time, by id. */
export function listOverdueRuns(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string }>> {
	return db.query<{ id: string }>(
		`select id from runs where state = 'waiting' and created_at < $1 and ($2::uuid is null or id > $2) order by id limit $3`,
		[before, after ?? null, limit],
	);
}
