import type { Database } from "@lango/postgres";
import type { MailCounts, ReputationCause, ReputationState } from "./reputation.ts";

/** A time in which a tenant is warned, or its e-mail is paused. */
export type Period = {
	state: Exclude<ReputationState, "ok">;
	cause: ReputationCause;
	/** Of the platform owner; undefined if the rates are the cause. */
	reason: string | undefined;
	beganAt: Date;
};

/** The reputation of a tenant. Without an open period it is good. */
export type Reputation = { counts: MailCounts; period: Period | undefined };

type Row = {
	sent: number;
	bounced: number;
	complained: number;
	state: Period["state"] | null;
	cause: ReputationCause | null;
	reason: string | null;
	began_at: Date | null;
};

const columns = "c.sent, c.bounced, c.complained, r.state, r.cause, r.reason, r.began_at";
const ofTenant = `
	cross join lateral (
	  select coalesce(sum(h.sent), 0)::integer as sent, coalesce(sum(h.bounced), 0)::integer as bounced,
	         coalesce(sum(h.complained), 0)::integer as complained
	    from reputation_hours h where h.tenant_id = t.id and h.hour > $1::timestamptz - interval '24 hours') c
	left join reputation_periods r on r.tenant_id = t.id and r.ended_at is null`;

/** Returns the reputation of a tenant by its e-mails of 24 hours. Call it inside the tenant. */
export async function getReputation(
	tx: Database,
	{ tenantId, now }: { tenantId: string; now: Date },
): Promise<Reputation> {
	const [row] = await tx.query<Row>(`select ${columns} from (select $2::uuid as id) t ${ofTenant}`, [
		now,
		tenantId,
	]);
	if (row === undefined) throw new Error("the reputation of a tenant has no row");
	return fromRow(row);
}

/** A tenant with its reputation. */
export type ListedReputation = Reputation & { tenantId: string; slug: string; name: string };

/** Lists tenants by slug, with their reputations. Call it across tenants. */
export async function listReputations(
	tx: Database,
	query: {
		now: Date;
		state: ReputationState | undefined;
		q: string | undefined;
		after: string;
		limit: number;
	},
): Promise<ListedReputation[]> {
	const { now, state, q, after, limit } = query;
	const rows = await tx.query<Row & { id: string; slug: string; name: string }>(
		`select t.id, t.slug, t.name, coalesce(c.sent, 0)::integer as sent, coalesce(c.bounced, 0)::integer as bounced,
		        coalesce(c.complained, 0)::integer as complained, r.state, r.cause, r.reason, r.began_at
		   from tenants t
		   left join (select h.tenant_id, sum(h.sent) as sent, sum(h.bounced) as bounced, sum(h.complained) as complained
		                from reputation_hours h where h.hour > $1::timestamptz - interval '24 hours'
		               group by h.tenant_id) c on c.tenant_id = t.id
		   left join reputation_periods r on r.tenant_id = t.id and r.ended_at is null
		  where t.status not in ('unknown', 'deleted') and t.slug > $2 and ($3::text is null or coalesce(r.state, 'ok') = $3)
		    and ($4::text is null or strpos(lower(t.name), lower($4)) > 0 or strpos(t.slug, lower($4)) > 0)
		  order by t.slug limit $5`,
		[now, after, state ?? null, q ?? null, limit],
	);
	return rows.map(({ id, slug, name, ...row }) => ({ tenantId: id, slug, name, ...fromRow(row) }));
}

/**
 * Locks the state of a tenant until the end of the transaction: claims of its e-mail that began earlier have
 * ended, and later ones see the change. Call it inside the tenant, and before `getReputation`.
 */
export async function lockReputation(tx: Database, tenantId: string): Promise<void> {
	await tx.query("select lock_reputation($1)", [tenantId]);
}

/** Ends the open period of the tenant, if there is one. Call it inside the tenant, with the state locked. */
export async function endPeriod(
	tx: Database,
	{ tenantId, by, reason, now }: { tenantId: string; by?: string; reason?: string; now: Date },
): Promise<void> {
	await tx.query(
		"update reputation_periods set ended_at = $2, ended_by = $3, end_reason = $4 where tenant_id = $1 and ended_at is null",
		[tenantId, now, by ?? null, reason ?? null],
	);
}

/** Begins a period. Call it inside the tenant, with the state locked and no period open. */
export async function beginPeriod(
	tx: Database,
	period: { tenantId: string; by?: string; now: Date } & Omit<Period, "beganAt">,
): Promise<void> {
	const { tenantId, state, cause, reason, by, now } = period;
	await tx.query(
		"insert into reputation_periods (tenant_id, state, cause, reason, began_by, began_at) values ($1, $2, $3, $4, $5, $6)",
		[tenantId, state, cause, reason ?? null, by ?? null, now],
	);
}

/**
 * Forgets the e-mails of the tenant: counting begins again. Call it inside the tenant, before the state is
 * locked.
 */
export async function forgetMail(tx: Database, tenantId: string): Promise<void> {
	await tx.query("delete from reputation_hours where tenant_id = $1", [tenantId]);
}

/** Makes claims of these lanes begin: of a tenant whose e-mail was paused. */
export async function wakeMail(tx: Database): Promise<void> {
	await tx.query("select wake_dispatchers('normal'), wake_dispatchers('bulk')");
}

/**
 * Counts complaints about these deliveries, unless they are messages of the platform. Call it inside the
 * tenant.
 */
export async function countComplaints(
	tx: Database,
	{ tenantId, deliveryIds, now }: { tenantId: string; deliveryIds: readonly string[]; now: Date },
): Promise<void> {
	await tx.query(
		`insert into reputation_hours as h (tenant_id, hour, slot, sent, bounced, complained)
		 select $1, date_trunc('hour', $3::timestamptz), pg_backend_pid() % 8, 0, 0, count(*)
		   from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
		  where d.tenant_id = $1 and d.id = any ($2) and d.channel = 'email' and not m.is_exempt
		 having count(*) > 0
		 on conflict on constraint reputation_hours__pkey do update set complained = h.complained + excluded.complained`,
		[tenantId, [...new Set(deliveryIds)], now],
	);
}

/** Lists warned tenants in the order of their ids. */
export async function listWarned(
	db: Database,
	{ after, limit }: { after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>("select tenant_id from list_warned_tenants($1, $2)", [
		after ?? null,
		limit,
	]);
	return rows.map(({ tenant_id }) => tenant_id);
}

/** A pause of a tenant's e-mail; `endedAt` is undefined while it lasts. */
export type Pause = { cause: ReputationCause; beganAt: Date; endedAt: Date | undefined };

const pausesMax = 20;

/** Lists the newest pauses that overlap a time, the oldest first. Call it inside the tenant. */
export async function listPauses(
	tx: Database,
	{ from, until }: { from: Date; until: Date },
): Promise<Pause[]> {
	const rows = await tx.query<{ cause: ReputationCause; began_at: Date; ended_at: Date | null }>(
		`select cause, began_at, ended_at from (
		   select cause, began_at, ended_at from reputation_periods
		    where state = 'paused' and began_at < $2 and (ended_at is null or ended_at > $1)
		    order by began_at desc limit $3) newest
		  order by began_at`,
		[from, until, pausesMax],
	);
	return rows.map(({ cause, began_at, ended_at }) => ({
		...{ cause, beganAt: began_at, endedAt: ended_at ?? undefined },
	}));
}

const fromRow = ({ sent, bounced, complained, state, cause, reason, began_at }: Row): Reputation => ({
	counts: { sent, bounced, complained },
	period:
		state === null || cause === null || began_at === null
			? undefined
			: { state, cause, reason: reason ?? undefined, beganAt: began_at },
});
