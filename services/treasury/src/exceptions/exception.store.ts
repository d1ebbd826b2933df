import type { Database } from "@lango/postgres";
import type { Exception, ExceptionClass, ExceptionState, Proposal, Resolution } from "./exception.ts";

type Row = {
	id: string;
	class: ExceptionClass;
	subject: string;
	amount_minor: string;
	currency: string;
	ours: object;
	theirs: object;
	proposed: Proposal | null;
	settlement_id: string | null;
	line_id: string | null;
	state: ExceptionState;
	raised_at: Date;
	resolution: Resolution["as"] | null;
	because: string | null;
	receipt_ids: string[] | null;
	resolved_by: string | null;
	resolved_at: Date | null;
};

const columns = `id, class, subject, amount_minor, currency, ours, theirs, proposed, settlement_id, line_id, state, raised_at, resolution,
	because, receipt_ids, resolved_by, resolved_at`;

const fromRow = (row: Row): Exception => ({
	...{ id: row.id, class: row.class, subject: row.subject, amountMinor: BigInt(row.amount_minor) },
	...{ currency: row.currency, ours: row.ours, theirs: row.theirs, state: row.state },
	...{ proposed: row.proposed ?? undefined, raisedAt: row.raised_at },
	...{ settlementId: row.settlement_id ?? undefined, lineId: row.line_id ?? undefined },
	resolution: resolutionOf(row),
});

function resolutionOf(row: Row): Resolution | undefined {
	const { resolution, because, receipt_ids, resolved_by, resolved_at } = row;
	if (resolution === null || because === null || resolved_by === null || resolved_at === null)
		return undefined;
	return { as: resolution, because, receiptIds: receipt_ids ?? [], by: resolved_by, at: resolved_at };
}

/**
 * Records an exception, and returns its id; undefined if there is one of its class and subject. With
 * `isRepeatable` one that is closed is opened again: what an operator decided stays in the audit log.
 */
export async function recordException(
	tx: Database,
	{ isRepeatable, ...exception }: Omit<Exception, "resolution"> & { isRepeatable: boolean },
): Promise<string | undefined> {
	const { id, subject, amountMinor, currency, ours, theirs, proposed, state, raisedAt } = exception;
	const [row] = await tx.query<{ id: string }>(
		`insert into exceptions (id, class, subject, amount_minor, currency, ours, theirs, state, raised_at, proposed, line_id,
		   settlement_id)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13)
		 on conflict (class, subject) do update
		   set state = 'open', raised_at = excluded.raised_at, amount_minor = excluded.amount_minor, currency = excluded.currency,
		       ours = excluded.ours, theirs = excluded.theirs, proposed = excluded.proposed, resolution = null, because = null,
		       receipt_ids = null, resolved_by = null, resolved_at = null
		 where exceptions.state = 'closed' and $12
		 returning id`,
		[
			...[id, exception.class, subject, amountMinor, currency],
			...[JSON.stringify(ours), JSON.stringify(theirs), state, raisedAt],
			...[proposed === undefined ? null : JSON.stringify(proposed), exception.lineId ?? null, isRepeatable],
			exception.settlementId ?? null,
		],
	);
	return row?.id;
}

type Renewed = Pick<Exception, "class" | "amountMinor" | "ours" | "theirs" | "proposed"> & { begin: string };

/**
 * Updates the open exception of a class whose subject begins with `begin`. Returns false if it is not found.
 */
export async function renewException(tx: Database, renewed: Renewed): Promise<boolean> {
	const { class: of, begin, amountMinor, ours, theirs, proposed } = renewed;
	const rows = await tx.query(
		`update exceptions set amount_minor = $3, ours = $4, theirs = $5, proposed = $6
		  where class = $1 and state = 'open' and starts_with(subject, $2) returning id`,
		[
			...[of, begin, amountMinor, JSON.stringify(ours), JSON.stringify(theirs)],
			proposed === undefined ? null : JSON.stringify(proposed),
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

/** Returns an exception. */
export async function findException(db: Database, id: string): Promise<Exception | undefined> {
	const [row] = await db.query<Row>(`select ${columns} from exceptions where id = $1`, [id]);
	return row && fromRow(row);
}

/** Returns an exception, locked. */
export async function lockException(tx: Database, id: string): Promise<Exception | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from exceptions where id = $1 for update`, [id]);
	return row && fromRow(row);
}

/** Closes an exception with what an operator decided. */
export async function closeException(tx: Database, id: string, resolution: Resolution): Promise<void> {
	await tx.query(
		`update exceptions set state = 'closed', resolution = $2, because = $3, receipt_ids = $4, resolved_by = $5, resolved_at = $6
		  where id = $1`,
		[id, resolution.as, resolution.because, resolution.receiptIds, resolution.by, resolution.at],
	);
}

/**
 * Lets the open exception of a class and subject be about a line of a settlement. Returns false if there is
 * none.
 */
export async function attachLine(
	tx: Database,
	{
		class: of,
		subject,
		settlementId,
		lineId,
	}: Pick<Exception, "class" | "subject" | "settlementId" | "lineId">,
): Promise<boolean> {
	const rows = await tx.query(
		`update exceptions set settlement_id = $3, line_id = $4
		  where class = $1 and subject = $2 and state = 'open' and (line_id is null or line_id = $4) returning id`,
		[of, subject, settlementId, lineId],
	);
	return rows.length > 0;
}

/** Closes the open exception of a class and subject: what it was about is explained now. */
export async function closeExplained(
	tx: Database,
	{ class: of, subject, receiptIds, now }: Pick<Exception, "class" | "subject"> & Explained,
): Promise<void> {
	await tx.query(
		`update exceptions
		    set state = 'closed', resolution = 'matched', because = 'It was explained later.', receipt_ids = $3,
		        resolved_by = 'treasury', resolved_at = $4
		  where class = $1 and subject = $2 and state = 'open'`,
		[of, subject, receiptIds ?? [], now],
	);
}

/** Closes the open exceptions of a class whose subjects begin so, as `closeExplained` does. */
export async function closeBeginning(
	tx: Database,
	{ class: of, begin, now }: Pick<Exception, "class"> & { begin: string; now: Date },
): Promise<void> {
	await tx.query(
		`update exceptions
		    set state = 'closed', resolution = 'matched', because = 'It was explained later.', receipt_ids = '{}',
		        resolved_by = 'treasury', resolved_at = $3
		  where class = $1 and starts_with(subject, $2) and state = 'open'`,
		[of, begin, now],
	);
}

/**
 * Closes open exceptions as `closeExplained` does, each with the receipt that explains it, if one does. The
 * caller sees to it that no other transaction closes some of them in another order.
 */
export async function closeAllExplained(
	tx: Database,
	all: ReadonlyArray<Pick<Exception, "class" | "subject"> & { receiptId: string | undefined }>,
	now: Date,
): Promise<void> {
	await tx.query(
		`update exceptions e
		    set state = 'closed', resolution = 'matched', because = 'It was explained later.',
		        receipt_ids = array_remove(array[n.receipt_id], null), resolved_by = 'treasury', resolved_at = $4
		   from unnest($1::text[], $2::text[], $3::uuid[]) as n (class, subject, receipt_id)
		  where e.class = n.class and e.subject = n.subject and e.state = 'open'`,
		[
			...[all.map((one) => one.class), all.map(({ subject }) => subject)],
			...[all.map(({ receiptId }) => receiptId ?? null), now],
		],
	);
}

type Explained = { receiptIds?: readonly string[]; now: Date };

/**
 * Lists the subjects of the exceptions of a class that begin with a text and that nothing explains, by id:
 * open ones, and those that operators waived since a time.
 */
export async function listUnexplained(
	db: Database,
	{
		class: of,
		prefix,
		since,
		after,
		limit,
	}: Pick<Exception, "class"> & { prefix: string; since: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; subject: string }>> {
	return db.query<{ id: string; subject: string }>(
		`select id, subject from exceptions
		  where class = $1 and (state = 'open' or (resolution = 'waived' and resolved_at > $2)) and starts_with(subject, $3)
		    and ($4::uuid is null or id > $4)
		  order by id limit $5`,
		[of, since, prefix, after ?? null, limit],
	);
}

/** Returns the state of the exception of a class and subject. */
export async function findState(
	tx: Database,
	{ class: of, subject }: Pick<Exception, "class" | "subject">,
): Promise<ExceptionState | undefined> {
	const [row] = await tx.query<{ state: ExceptionState }>(
		"select state from exceptions where class = $1 and subject = $2",
		[of, subject],
	);
	return row?.state;
}
