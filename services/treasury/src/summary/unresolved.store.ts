import { acrossTenants, type Database } from "@lango/postgres";
import { type UnresolvedKind, unresolvedKinds, unresolvedOf } from "../measurements/unresolved.store.ts";
import { type Age, ages, timesOf } from "./age.ts";

/** What is unresolved, and webhooks that are parked. */
export const countedKinds = [...unresolvedKinds, "webhook"] as const;

/** Objects of one kind and age, counted up to 10,000. */
export type Counted = { kind: (typeof countedKinds)[number]; age: Age; found: number };

/** One object whose outcome is not known. */
export type Unresolved = {
	id: string;
	tenantId: string;
	/** The intent of an attempt; the operation of one by which the tenant pays the platform. */
	intentId: string | null;
	operationId: string | null;
	/** The receipt that a refund is of. */
	receiptId: string | null;
	status: string;
	needsReview: boolean;
	/** The operator who says that a refund failed. */
	proposedBy: string | null;
	amountMinor: bigint;
	currency: string;
	/** When it was sent, or else created. */
	since: Date;
};

type Row = {
	id: string;
	tenant_id: string;
	intent_id: string | null;
	operation_id: string | null;
	receipt_id: string | null;
	status: string;
	needs_review: boolean;
	proposed_by: string | null;
	amount_minor: string;
	currency: string;
	since: Date;
};

const countedMax = 10_000;
const parkedWebhooks =
	"select received_at as since from webhook_deliveries where status = 'parked' order by id";

/** Counts what is unknown or parked, by kind and age, as the platform owner. */
export async function countUnresolved(db: Database, now: Date): Promise<Counted[]> {
	const since = ages.map((age) => timesOf(age, now).from ?? null);
	const sent = await acrossTenants(db, (tx) =>
		tx.query<Counted>(
			unresolvedKinds.map((kind) => byAge(kind, unresolvedOf[kind])).join(" union all "),
			since,
		),
	);
	const parked = await db.query<Counted>(byAge("webhook", parkedWebhooks), since);
	return [...sent, ...parked];
}

/** Counts the rows of a statement by age. `$1` to `$3`: since when those of the younger ages are. */
const byAge = (kind: Counted["kind"], statement: string) => `
	(select '${kind}' as kind, age, count(*)::integer as found
	   from (select case when since >= $1 then 'hour' when since >= $2 then 'day' when since >= $3 then 'week' else 'older' end as age
	           from (${statement} limit ${countedMax}) as one) as aged
	  where $4::timestamptz is null group by age)`;

/** What a page of unresolved objects contains. */
export type UnresolvedQuery = {
	kind: UnresolvedKind;
	age: Age | undefined;
	needsReview: boolean | undefined;
	after: string | undefined;
	limit: number;
	now: Date;
};

/** Lists objects of all tenants whose outcome is not known, the oldest first. Call it across tenants. */
export async function listUnresolved(tx: Database, query: UnresolvedQuery): Promise<Unresolved[]> {
	const { from, to } =
		query.age === undefined ? { from: undefined, to: undefined } : timesOf(query.age, query.now);
	const rows = await tx.query<Row>(
		`select * from (${unresolvedOf[query.kind]}) as one
		  where ($1::timestamptz is null or since >= $1) and ($2::timestamptz is null or since < $2)
		    and ($3::boolean is null or needs_review = $3) and ($4::uuid is null or id > $4)
		  order by id limit $5`,
		[from ?? null, to ?? null, query.needsReview ?? null, query.after ?? null, query.limit],
	);
	return rows.map(fromRow);
}

const fromRow = (row: Row): Unresolved => ({
	...{ id: row.id, tenantId: row.tenant_id, intentId: row.intent_id, operationId: row.operation_id },
	...{ receiptId: row.receipt_id, status: row.status, needsReview: row.needs_review },
	...{ proposedBy: row.proposed_by, amountMinor: BigInt(row.amount_minor), currency: row.currency },
	since: row.since,
});
