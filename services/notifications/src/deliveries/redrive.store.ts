import { type Database, type OutletFilter, withinOutlets } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { Place, Redrive, RedriveFilter } from "./redrive.ts";
import { resendable } from "./resend-delivery.ts";

type Row = {
	id: string;
	filter: RedriveFilter;
	outlets: OutletFilter;
	may_duplicate: boolean;
	caller_kind: Redrive["requester"]["kind"];
	caller_id: string;
	is_unlimited: boolean;
	status: Redrive["status"];
	reason: string | null;
	matched: number;
	left_out: number;
	counts: Record<string, number>;
	ended_after: Date | number;
	ended_after_id: string;
	created_at: Date;
	updated_at: Date;
	finished_at: Date | null;
};

const columns = `id, filter, outlets, may_duplicate, caller_kind, caller_id, is_unlimited, status, reason, matched, left_out, counts,
	ended_after, ended_after_id, created_at, updated_at, finished_at`;

/** What decides which deliveries a redrive has. */
export type RedriveScope = {
	tenantId: string;
	filter: RedriveFilter;
	outlets: OutletFilter;
	mayDuplicate: boolean;
	/** Deliveries that ended later are not part of it. */
	requestedAt: Date;
};

/** The list is in the statement, so that the index of ended deliveries can be used. */
const resendableList = resendable.map((status) => `'${status}'`).join(", ");

/** Deliveries of a scope that were not sent again yet; parameters 1 to 12 are those of `valuesOf`. */
const inScope = `
	  from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
	 where d.tenant_id = $1 and d.status in (${resendableList}) and d.status = any ($2) and d.final_at <= $3
	   and ${withinOutlets("m.outlet_id", "$4")}
	   and ($5::text is null or d.channel = $5) and ($6::text is null or m.template = $6)
	   and ($7::text is null or m.category = $7) and ($8::text is null or d.error_code = $8)
	   and ($9::uuid is null or d.provider_id = $9) and ($10::uuid is null or d.message_id = $10)
	   and ($11::timestamptz is null or d.final_at >= $11) and ($12::timestamptz is null or d.final_at < $12)
	   and m.source <> 'test' and not exists (select from messages r where r.tenant_id = d.tenant_id and r.resend_of = d.id)`;

const valuesOf = ({ tenantId, filter, outlets, requestedAt }: RedriveScope) => [
	tenantId,
	[...filter.status],
	requestedAt,
	outlets,
	filter.channel ?? null,
	filter.template ?? null,
	filter.category ?? null,
	filter.error_code ?? null,
	filter.provider_id ?? null,
	filter.message_id ?? null,
	filter.from ?? null,
	filter.to ?? null,
];

/**
 * Counts the deliveries of a scope up to `limit`: those that match, and those that are left out because their
 * outcome is unknown. Call it inside the tenant.
 */
export async function countInScope(
	tx: Database,
	scope: RedriveScope,
	limit: number,
): Promise<{ matched: number; leftOut: number }> {
	const [row] = await tx.query<{ matched: number; left_out: number }>(
		`select count(*) filter (where $13 or not is_unknown)::integer as matched,
		        count(*) filter (where not $13 and is_unknown)::integer as left_out
		   from (select d.error_code is not distinct from 'outcome_unknown' as is_unknown ${inScope} limit $14) counted`,
		[...valuesOf(scope), scope.mayDuplicate, limit],
	);
	return { matched: row?.matched ?? 0, leftOut: row?.left_out ?? 0 };
}

/** A delivery of a redrive. */
export type InScope = { id: string; channel: Channel; endedAt: Date };

/** Lists the next deliveries of a scope in the order in which they ended. Call it inside the tenant. */
export async function listInScope(
	tx: Database,
	scope: RedriveScope,
	{ after, limit }: { after: Place; limit: number },
): Promise<InScope[]> {
	const rows = await tx.query<{ id: string; channel: Channel; final_at: Date }>(
		`select d.id, d.channel, d.final_at ${inScope}
		    and ($13 or d.error_code is distinct from 'outcome_unknown')
		    and (d.final_at, d.id) > ($14::timestamptz, $15::uuid)
		  order by d.final_at, d.id limit $16`,
		[...valuesOf(scope), scope.mayDuplicate, after.endedAt, after.id, limit],
	);
	return rows.map(({ final_at, ...row }) => ({ ...row, endedAt: final_at }));
}

/** Waits until no other request of the tenant starts a redrive, until the end of the transaction. */
export async function lockRedrives(tx: Database, tenantId: string): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended('redrives ' || $1, 0))", [tenantId]);
}

/** Returns the redrive of a caller's key; undefined if not found. Call it inside the tenant. */
export async function findRequestedRedrive(
	tx: Database,
	{ requester, requestKey }: Pick<Redrive, "requester"> & { requestKey: string },
): Promise<Redrive | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from redrives where caller_kind = $1 and caller_id = $2 and request_key = $3`,
		[requester.kind, requester.id, requestKey],
	);
	return row && fromRow(row);
}

/** Lists the tenant's redrives that are not finished. Call it inside the tenant. */
export async function listRunningRedrives(tx: Database): Promise<Redrive[]> {
	const rows = await tx.query<Row>(`select ${columns} from redrives where status = 'running' limit 100`);
	return rows.map(fromRow);
}

/** Records a new redrive. Call it inside the tenant. */
export async function recordRedrive(
	tx: Database,
	redrive: RedriveScope &
		Pick<Redrive, "requester" | "isUnlimited" | "matched" | "leftOut"> & { requestKey: string | undefined },
): Promise<Redrive> {
	const isEmpty = redrive.matched === 0;
	const [row] = await tx.query<Row>(
		`insert into redrives (tenant_id, filter, outlets, may_duplicate, caller_kind, caller_id, is_unlimited, request_key,
		   matched, left_out, created_at, updated_at, status, finished_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)
		 returning ${columns}`,
		[
			redrive.tenantId,
			JSON.stringify(redrive.filter),
			redrive.outlets,
			redrive.mayDuplicate,
			redrive.requester.kind,
			redrive.requester.id,
			redrive.isUnlimited,
			redrive.requestKey ?? null,
			redrive.matched,
			redrive.leftOut,
			redrive.requestedAt,
			isEmpty ? "finished" : "running",
			isEmpty ? redrive.requestedAt : null,
		],
	);
	if (row === undefined) throw new Error("the redrive was not recorded");
	return fromRow(row);
}

/** Returns a redrive; undefined if not found. Call it inside the tenant. */
export async function findRedrive(tx: Database, id: string): Promise<Redrive | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from redrives where id = $1`, [id]);
	return row && fromRow(row);
}

/** Lists the tenant's redrives, the newest first, after the given one. Call it inside the tenant. */
export async function listRedrives(
	tx: Database,
	{ after, limit }: { after: string | undefined; limit: number },
): Promise<Redrive[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from redrives
		  where $1::uuid is null or (created_at, id) < (select a.created_at, a.id from redrives a where a.id = $1)
		  order by created_at desc, id desc limit $2`,
		[after ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Stores how far a redrive is. Call it inside the tenant. */
export async function recordProgress(
	tx: Database,
	progress: Omit<Progress, "waitSeconds"> & { tenantId: string; id: string },
): Promise<void> {
	const { tenantId, id, after, counts, status, reason, updatedAt } = progress;
	await tx.query(
		`update redrives set ended_after = $2, ended_after_id = $3, counts = $4, status = $5::text, reason = $6, updated_at = $7::timestamptz,
		        finished_at = case when $5 <> 'running' then $7::timestamptz end
		  where tenant_id = $8 and id = $1 and status = 'running'`,
		[id, after.endedAt, after.id, JSON.stringify(counts), status, reason, updatedAt, tenantId],
	);
}

/** How far a redrive is after a batch. */
export type Progress = Pick<Redrive, "after" | "counts" | "status" | "reason" | "updatedAt"> & {
	/** When the next batch may begin, in seconds from now. */
	waitSeconds: number;
};

/**
 * Returns by channel how many messages a redrive may send now: what the channel's limit allows above half of
 * its burst, so that other messages of the tenant are still accepted. Call it inside the tenant.
 */
export async function listSpare(
	tx: Database,
	{ tenantId, now }: { tenantId: string; now: Date },
): Promise<ReadonlyMap<Channel, number>> {
	const rows = await tx.query<{ channel: Channel; spare: number }>(
		`select l.channel, ceil(coalesce(least(l.burst, b.tokens
		          + greatest(extract(epoch from $2 - b.refilled_at), 0) * l.per_minute / 60.0), l.burst) - l.burst / 2.0)::integer as spare
		   from (select p.channel, coalesce(o.per_minute, p.per_minute) as per_minute, coalesce(o.burst, p.burst) as burst
		           from platform_limits p left join limits o on o.tenant_id = $1 and o.channel = p.channel) l
		   left join channel_buckets b on b.tenant_id = $1 and b.channel = l.channel`,
		[tenantId, now],
	);
	return new Map(rows.map(({ channel, spare }) => [channel, spare]));
}

/** Lists redrives of every tenant on which no job has worked since a time, in the order of their ids. */
export async function listOverdueRedrives(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await db.query<{ tenant_id: string; id: string }>(
		"select tenant_id, id from list_overdue_redrives($1, $2, $3)",
		[before, after ?? null, limit],
	);
	return rows.map(({ tenant_id, id }) => ({ id, tenantId: tenant_id }));
}

function fromRow(row: Row): Redrive {
	return {
		id: row.id,
		filter: row.filter,
		outlets: row.outlets,
		mayDuplicate: row.may_duplicate,
		requester: { kind: row.caller_kind, id: row.caller_id },
		isUnlimited: row.is_unlimited,
		status: row.status,
		reason: row.reason,
		matched: row.matched,
		leftOut: row.left_out,
		counts: row.counts,
		after: {
			endedAt: row.ended_after instanceof Date ? row.ended_after : "-infinity",
			id: row.ended_after_id,
		},
		createdAt: row.created_at,
		updatedAt: row.updated_at,
		finishedAt: row.finished_at,
	};
}
