import { type Database, ofTenant } from "@lango/postgres";
import type { Actor, AuditEntry } from "./audit.store.ts";

/** An entry of the audit log. */
export type ListedAuditEntry = Omit<AuditEntry, "tenantId" | "requestId" | "address"> & {
	id: string;
	tenantId: string | null;
	requestId: string | null;
	address: string | null;
	/** The time in microseconds, for the cursor. */
	atMicroseconds: string;
};

export type AuditPage = {
	/** Undefined: the platform owner lists the entries of all tenants and of the platform. */
	tenantId: string | undefined;
	/** At this time or later. */
	from: Date | undefined;
	/** Before this time. */
	to: Date | undefined;
	/** The id of the actor. */
	actorId: string | undefined;
	action: string | undefined;
	/** The first words of actions, before their dot. */
	about: readonly string[] | undefined;
	after: readonly [atMicroseconds: string, id: string] | undefined;
	limit: number;
};

const columns = "id, occurred_at, actor_kind, actor_id, action, subject, detail, request_id, address";

/** Lists audit entries, newest first. Call it inside the tenant or across all. */
export async function listAudit(db: Database, page: AuditPage): Promise<ListedAuditEntry[]> {
	const {
		tenantId,
		from = null,
		to = null,
		actorId = null,
		action = null,
		about = null,
		after,
		limit,
	} = page;
	const [at = null, id = null] = after ?? [];
	const platformEntries = `union all select null, ${columns} from platform_audit_log`;
	const rows = await db.query<{
		id: string;
		tenant_id: string | null;
		occurred_at: Date;
		actor_kind: Actor["kind"];
		actor_id: string;
		action: string;
		subject: string;
		detail: Record<string, unknown>;
		request_id: string | null;
		address: string | null;
		at_microseconds: string;
	}>(
		`select id::text, tenant_id, occurred_at, actor_kind, actor_id, action, subject, detail, request_id, address,
		        (extract(epoch from occurred_at) * 1000000)::bigint::text as at_microseconds
		   from (select tenant_id, ${columns} from audit_log a where ${ofTenant(tenantId, "a.tenant_id", "$9")}
		         ${tenantId === undefined ? platformEntries : ""}) entry
		  where ($1::timestamptz is null or occurred_at >= $1) and ($2::timestamptz is null or occurred_at < $2)
		    and ($3::text is null or actor_id = $3) and ($4::text is null or action = $4)
		    and ($8::text[] is null or split_part(action, '.', 1) = any($8))
		    and ($5::bigint is null
		         or (occurred_at, id) < (timestamptz 'epoch' + $5::bigint * interval '1 microsecond', $6::bigint))
		  order by occurred_at desc, id desc
		  limit $7`,
		[from, to, actorId, action, at, id, limit, about, tenantId ?? null],
	);
	return rows.map(
		({ tenant_id, occurred_at, actor_kind, actor_id, request_id, at_microseconds, ...row }) => ({
			...row,
			tenantId: tenant_id,
			at: occurred_at,
			actor: { kind: actor_kind, id: actor_id },
			requestId: request_id,
			atMicroseconds: at_microseconds,
		}),
	);
}
