import type { Database } from "@lango/postgres";
import type { Exception, ExceptionClass, ExceptionState } from "./exception.ts";

type Row = {
	id: string;
	class: ExceptionClass;
	subject: string;
	amount_minor: string;
	currency: string;
	ours: object;
	theirs: object;
	state: ExceptionState;
	raised_at: Date;
};

const columns = "id, class, subject, amount_minor, currency, ours, theirs, state, raised_at";

const fromRow = (row: Row): Exception => ({
	...{ id: row.id, class: row.class, subject: row.subject, amountMinor: BigInt(row.amount_minor) },
	...{ currency: row.currency, ours: row.ours, theirs: row.theirs, state: row.state },
	raisedAt: row.raised_at,
});

/** Records an exception. Returns false if there is one of its class and subject. */
export async function recordException(tx: Database, exception: Exception): Promise<boolean> {
	const { id, subject, amountMinor, currency, ours, theirs, state, raisedAt } = exception;
	const rows = await tx.query(
		`insert into exceptions (id, class, subject, amount_minor, currency, ours, theirs, state, raised_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (class, subject) do nothing returning id`,
		[
			...[id, exception.class, subject, amountMinor, currency],
			...[JSON.stringify(ours), JSON.stringify(theirs), state, raisedAt],
		],
	);
	return rows.length > 0;
}

export type ExceptionQuery = {
	class: ExceptionClass | undefined;
	state: ExceptionState | undefined;
	before: string | undefined;
	limit: number;
};

/** Lists exceptions, the newest first. Only for the platform owner. */
export async function listExceptions(db: Database, query: ExceptionQuery): Promise<Exception[]> {
	const rows = await db.query<Row>(
		`select ${columns} from exceptions
		  where ($1::text is null or class = $1) and ($2::text is null or state = $2) and ($3::uuid is null or id < $3)
		  order by id desc limit $4`,
		[query.class ?? null, query.state ?? null, query.before ?? null, query.limit],
	);
	return rows.map(fromRow);
}
