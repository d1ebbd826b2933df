import { acrossTenants, type Database } from "@lango/postgres";
import type { StatedLine } from "./read-statement-file.ts";

/** A statement: of a bank account of the platform, or of a shortcode. */
export type StatementFile = {
	/** `bank`, or the shortcode. */
	source: string;
	currency: string;
	/** SHA-256 of the bytes. */
	fileHash: Buffer;
};

/**
 * Stores lines of a statement that are not known. The same file again adds nothing, and neither does what
 * another file of the source has already. Returns how many were added.
 */
export async function recordStatementLines(
	tx: Database,
	{ source, currency, fileHash }: StatementFile,
	{ lines, now }: { lines: readonly StatedLine[]; now: Date },
): Promise<number> {
	const rows = await tx.query(
		`insert into statement_lines (id, source, currency, file_hash, line, at, amount_minor, reference, description, account_ref,
		   payer, nth, imported_at)
		 select gen_random_uuid(), $1, $2, $3, n.line, n.at, n.amount_minor, n.reference, n.description, n.account_ref, n.payer,
		        row_number() over (partition by n.at, n.amount_minor, n.reference order by n.line), $11
		   from unnest($4::integer[], $5::timestamptz[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
		        as n (line, at, amount_minor, reference, description, account_ref, payer)
		 on conflict do nothing returning id`,
		[
			...[source, currency, fileHash, lines.map(({ line }) => line), lines.map(({ at }) => at)],
			...[lines.map(({ amountMinor }) => amountMinor), lines.map(({ reference }) => reference)],
			...[lines.map(({ description }) => description), lines.map(({ accountRef }) => accountRef)],
			...[lines.map(({ payer }) => payer), now],
		],
	);
	return rows.length;
}

/**
 * Stores account and payer of lines that are known, and not matched yet, from a later file of a source. What
 * is erased stays so, and a phone in full is not replaced by a masked one. Lines that have both already are
 * not written again.
 */
export async function nameStatementLines(
	tx: Database,
	{ source, currency }: Pick<StatementFile, "source" | "currency">,
	lines: readonly StatedLine[],
): Promise<void> {
	const named = lines.filter(({ accountRef, payer }) => accountRef !== null || payer !== null);
	await tx.query(
		`update statement_lines s
		    set account_ref = coalesce(n.account_ref, s.account_ref),
		        payer = case when s.payer is null or s.payer ~ '[^0-9]' then coalesce(n.payer, s.payer) else s.payer end
		   from unnest($3::timestamptz[], $4::bigint[], $5::text[], $6::text[], $7::text[])
		        as n (at, amount_minor, reference, account_ref, payer)
		  where s.source = $1 and s.currency = $2 and s.object_id is null and s.at = n.at and s.amount_minor = n.amount_minor
		    and s.reference = n.reference
		    and (n.account_ref is not null and n.account_ref is distinct from s.account_ref
		      or n.payer is not null and n.payer is distinct from s.payer and (s.payer is null or s.payer ~ '[^0-9]'))`,
		[
			...[source, currency, named.map(({ at }) => at), named.map(({ amountMinor }) => amountMinor)],
			...[named.map(({ reference }) => reference), named.map(({ accountRef }) => accountRef)],
			named.map(({ payer }) => payer),
		],
	);
}

/**
 * Matches lines of the bank account with settlements that it received: of their amount and currency, from a
 * day before until two weeks after, those that name the settlement first. Each settlement has one line.
 * Returns the gateway's numbers of those that were matched.
 */
export async function matchBankLines(tx: Database): Promise<string[]> {
	const matched = await tx.query<{ gateway_id: string }>(
		`with candidates as (
		   select distinct on (n.id) n.id as line_id, s.id as settlement_id, s.gateway_id,
		          (strpos(n.reference || ' ' || n.description, s.gateway_id) > 0) as is_named, s.settled_at
		     from statement_lines n
		     join settlements s on s.effective_minor = n.amount_minor and s.currency = n.currency and s.settles_to = 'bank'
		      and s.state <> 'announced' and n.at between s.settled_at - interval '1 day' and s.settled_at + interval '14 days'
		    where n.source = 'bank' and n.object_id is null
		      and not exists (select from statement_lines o where o.object_id = s.id)
		    order by n.id, is_named desc, s.settled_at, s.id
		 ), chosen as (
		   select distinct on (settlement_id) * from candidates order by settlement_id, is_named desc, line_id
		 )
		 update statement_lines n set object_id = c.settlement_id from chosen c where n.id = c.line_id
		 returning c.gateway_id`,
	);
	return matched.map(({ gateway_id }) => gateway_id);
}

/** What came to a shortcode or left it by its statement, beside what has its number here. */
export type ComparedLine = {
	id: string;
	/** What came; negative: what left. */
	amountMinor: bigint;
	reference: string;
	currency: string;
	at: Date;
	/** The account code that it names; empty: it names something else; null: it is not said. */
	accountRef: string | null;
	/** The phone that paid, in full or masked; null: it is not said, or is erased. */
	payer: string | null;
	found:
		| { kind: "receipt" | "payout" | "refund"; tenantId: string; id: string; amountMinor: bigint }
		| undefined;
	/** The phone of the prompt whose receipt has its number; undefined: it is of no prompt, or is erased. */
	promptPhone: string | undefined;
};

type ComparedRow = {
	id: string;
	amount_minor: string;
	reference: string;
	currency: string;
	at: Date;
	account_ref: string | null;
	payer: string | null;
	kind: "receipt" | "payout" | "refund" | null;
	tenant_id: string | null;
	object_id: string | null;
	object_minor: string | null;
	prompt_phone: string | null;
};

/** Lists the shortcodes of whose statements lines are not matched. */
export async function listOpenSources(db: Database): Promise<string[]> {
	const rows = await db.query<{ source: string }>(
		"select distinct source from statement_lines where source <> 'bank' and object_id is null order by source",
	);
	return rows.map(({ source }) => source);
}

/** So many lines are compared in one transaction. */
const comparedMax = 500;

/**
 * Returns a statement that lists the first lines of a condition and an order (`$1`: how many), each beside
 * the receipt, payout or refund of any tenant that has its number. On a cluster each node joins its rows
 * with these lines.
 */
const compare = (chosen: string, order: string) => `
	with lines as (
	  select n.*, l.tenant_id, l.object_id as receipt_id
	    from (select id, source, currency, at, amount_minor, reference, account_ref, payer from statement_lines n
	           where ${chosen} order by ${order} limit $1) n
	    left join locators l on n.amount_minor > 0 and l.kind = 'receipt' and l.value = 'mobile_money:collection:' || n.reference
	),
	found as materialized (
	  select n.id as line_id, 'receipt' as kind, r.tenant_id, r.id, r.amount_minor, a.phone
	    from lines n join receipts r on r.tenant_id = n.tenant_id and r.id = n.receipt_id
	    left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
	  union all
	  select n.id, 'payout', p.tenant_id, p.id, -p.net_minor, null
	    from lines n join payouts p on p.shortcode = n.source and p.receipt = n.reference where n.amount_minor < 0
	  union all
	  select n.id, 'refund', f.tenant_id, f.id, -f.amount_minor, null
	    from lines n join refunds f on f.gateway_ref = n.reference
	    join receipts r on r.tenant_id = f.tenant_id and r.id = f.receipt_id and r.shortcode = n.source where n.amount_minor < 0
	)
	select n.id, n.amount_minor, n.reference, n.currency, n.at, n.account_ref, nullif(n.payer, '') as payer,
	       f.kind, f.tenant_id, f.id as object_id, f.amount_minor as object_minor, f.phone as prompt_phone
	  from lines n left join (select distinct on (line_id) * from found order by line_id, kind) f on f.line_id = n.id
	 order by ${order}`;

/**
 * Passes lines of statements of a shortcode that are not matched, the first first, to `work`, 500 at once:
 * beside receipts, payouts and refunds of any tenant. What left it without one of these is left out: its
 * owner also spends outside.
 */
export async function eachOpenLines(
	db: Database,
	source: string,
	work: (lines: readonly ComparedLine[]) => Promise<void>,
): Promise<void> {
	let lines = await listShortcodeLines(db, source, undefined);
	while (lines.length > 0) {
		await work(lines.filter(({ amountMinor, found }) => amountMinor > 0n || found !== undefined));
		lines = await listShortcodeLines(db, source, lines.at(-1));
	}
}

async function listShortcodeLines(
	db: Database,
	source: string,
	last: Pick<ComparedLine, "id" | "at"> | undefined,
): Promise<ComparedLine[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<ComparedRow>(
			compare(
				"n.source = $2 and n.object_id is null and ($3::timestamptz is null or (n.at, n.id) > ($3, $4::uuid))",
				"n.at, n.id",
			),
			[comparedMax, source, last?.at ?? null, last?.id ?? null],
		),
	);
	return rows.map(toCompared);
}

/** How long before and after a line another one of the same prompts may be. */
export const besideSeconds = 3_600;

/** So many lines are looked at beside one. */
const besideMax = 50;

/** What lines beside another one are: of its amount, and of a payer's phone. */
type Beside = Pick<ComparedLine, "amountMinor" | "at"> & { phone: string };

/**
 * Lists unmatched lines of a shortcode within an hour of a moment, the nearest first, 50 at most, whose payer
 * has the digits of a phone.
 */
export async function listLinesBeside(
	db: Database,
	source: string,
	{ amountMinor, at, phone }: Beside,
): Promise<ComparedLine[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<ComparedRow>(
			compare(
				`n.source = $2 and n.object_id is null and n.amount_minor = $3
				   and n.at between $4::timestamptz - make_interval(secs => $5) and $4::timestamptz + make_interval(secs => $5)
				   and strpos(regexp_replace(n.payer, '[^0-9]', '', 'g'), right($6, 9)) > 0`,
				"abs(extract(epoch from n.at - $4::timestamptz)), n.id",
			),
			[besideMax, source, amountMinor, at, besideSeconds, phone],
		),
	);
	return rows.map(toCompared);
}

const toCompared = (row: ComparedRow): ComparedLine => ({
	...{ id: row.id, amountMinor: BigInt(row.amount_minor), reference: row.reference },
	...{ currency: row.currency, at: row.at, accountRef: row.account_ref, payer: row.payer },
	...{ found: foundIn(row), promptPhone: row.prompt_phone ?? undefined },
});

/**
 * Whether another line of a source, whose number nothing has, may be of the same prompt: of this amount,
 * within this time, and not of another payer.
 */
export async function isOtherOpen(
	db: Database,
	{ source, id, amountMinor, from, until, phone }: Other,
): Promise<boolean> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query(
			`select from statement_lines n
			  where n.source = $1 and n.id <> $2 and n.amount_minor = $3 and n.object_id is null and n.at <= $4
			    and ($5::timestamptz is null or n.at >= $5) and n.account_ref is distinct from ''
			    and (n.payer is null or n.payer = '' or $6::text is null or right(n.payer, 3) = right($6, 3))
			    and not exists (
			          select from locators l where l.kind = 'receipt' and l.value = 'mobile_money:collection:' || n.reference)
			  limit 1`,
			[source, id, amountMinor, until, from ?? null, phone],
		),
	);
	return rows.length > 0;
}

type Other = {
	source: string;
	/** The line. */
	id: string;
	amountMinor: bigint;
	from: Date | undefined;
	until: Date;
	/** Of the prompt; null: it is not known. */
	phone: string | null;
};

/** Statements of one source are compared one after the other. */
export async function lockSource(tx: Database, source: string): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`statement ${source}`]);
}

function foundIn({ kind, tenant_id, object_id, object_minor }: ComparedRow): ComparedLine["found"] {
	if (kind === null || tenant_id === null || object_id === null || object_minor === null) return undefined;
	return { kind, tenantId: tenant_id, id: object_id, amountMinor: BigInt(object_minor) };
}

/** Removes the payers of lines that were imported before a time: nothing was found that explains them. */
export async function forgetPayers(db: Database, before: Date): Promise<void> {
	await db.query("update statement_lines set payer = null where payer is not null and imported_at < $1", [
		before,
	]);
}

/** Returns the time of the last line of a source. */
export async function lastLineAt(db: Database, source: string): Promise<Date | undefined> {
	const [row] = await db.query<{ at: Date | null }>(
		"select max(at) as at from statement_lines where source = $1",
		[source],
	);
	return row?.at ?? undefined;
}

/** Stores what lines of statements are about. Their payers are not needed any more. */
export async function matchLines(
	tx: Database,
	matched: ReadonlyArray<{ id: string; objectId: string }>,
): Promise<void> {
	await tx.query(
		`update statement_lines s set object_id = n.object_id, payer = null
		   from unnest($1::uuid[], $2::uuid[]) as n (id, object_id) where s.id = n.id`,
		[matched.map(({ id }) => id), matched.map(({ objectId }) => objectId)],
	);
}
