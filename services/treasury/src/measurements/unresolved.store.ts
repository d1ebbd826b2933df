import { acrossTenants, type Database } from "@lango/postgres";

/** What the gateway has not said the outcome of, or an operator has to act on: a decision, or a password. */
export const unresolvedKinds = ["attempt", "payout", "refund"] as const;
export type UnresolvedKind = (typeof unresolvedKinds)[number];

/** The objects of each kind. Counts, lists and measurements read the same ones. */
export const unresolvedOf: Readonly<Record<UnresolvedKind, string>> = {
	attempt: `select a.id, a.tenant_id, a.intent_id, case i.payee when 'platform' then i.operation_id end as operation_id,
	                 null::uuid as receipt_id, a.status, false as needs_review, null::text as proposed_by, a.amount_minor,
	                 i.currency, coalesce(a.submitted_at, a.created_at) as since
	            from attempts a join intents i on i.tenant_id = a.tenant_id and i.id = a.intent_id
	           where a.next_check_at is not null and a.status in ('submitting', 'unknown')`,
	payout: `select id, tenant_id, null::uuid as intent_id, null::text as operation_id, null::uuid as receipt_id, status, needs_review,
	                null::text as proposed_by, net_minor as amount_minor, currency, coalesce(submitted_at, created_at) as since
	           from payouts
	          where ended_at is null and (needs_review or status in ('submitting', 'unknown', 'needs_otp'))`,
	refund: `select id, tenant_id, null::uuid as intent_id, null::text as operation_id, receipt_id, status, needs_review, proposed_by,
	                amount_minor, currency, coalesce(submitted_at, created_at) as since
	           from refunds
	          where ended_at is null and (needs_review or status in ('submitting', 'unknown'))`,
};

/** The time from which the oldest object of each kind is unresolved; undefined: all are resolved. */
export type Oldest = Readonly<Record<UnresolvedKind, Date | undefined>>;

/** Finds the oldest unresolved object of each kind, of all tenants. */
export async function findOldestUnresolved(db: Database): Promise<Oldest> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ kind: UnresolvedKind; since: Date | null }>(
			unresolvedKinds
				.map((kind) => `select '${kind}' as kind, min(since) as since from (${unresolvedOf[kind]}) as one`)
				.join(" union all "),
		),
	);
	const since = (kind: UnresolvedKind) => rows.find((row) => row.kind === kind)?.since ?? undefined;
	return { attempt: since("attempt"), payout: since("payout"), refund: since("refund") };
}
