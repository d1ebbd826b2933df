import { type Database, type OutletFilter, withinOutlets } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { DeliveryStatus } from "../delivery.ts";
import type { Class, Requester, Source } from "../message.ts";

/** A message as the feed shows it. */
export type FeedMessage = {
	id: string;
	tenantId: string;
	source: Source;
	channel: Channel;
	messageClass: Class;
	category: string;
	template: string;
	labels: Readonly<Record<string, string>>;
	outletId: string | null;
	requester: Requester;
	aboutTenantId: string | null;
	resendOf: string | null;
	sendAt: Date;
	expiresAt: Date;
	createdAt: Date;
	recipients: number;
	pending: number;
	/** Deliveries by status. */
	counts: Readonly<Partial<Record<DeliveryStatus, number>>>;
};

/** Which messages a page shows; an undefined member does not narrow it. */
export type FeedQuery = {
	outlets: OutletFilter;
	status?: DeliveryStatus | undefined;
	channel?: Channel | undefined;
	template?: string | undefined;
	category?: string | undefined;
	source?: Source | undefined;
	/** The address keys of an address, one for each channel and configured key. */
	addressKeys?: readonly Buffer[] | undefined;
	userId?: string | undefined;
	/** A label's name and value. */
	label?: readonly [string, string] | undefined;
	from?: Date | undefined;
	to?: Date | undefined;
	after?: string | undefined;
	/** Messages of this outlet; null: of any. */
	outletId: string | null;
	limit: number;
};

type Row = {
	id: string;
	tenant_id: string;
	source: Source;
	channel: Channel;
	class: Class;
	category: string;
	template: string;
	labels: Record<string, string>;
	outlet_id: string | null;
	caller_kind: Requester["kind"];
	caller_id: string;
	about_tenant_id: string | null;
	resend_of: string | null;
	send_at: Date;
	expires_at: Date;
	created_at: Date;
	recipients: number;
	pending: number;
	counts: Partial<Record<DeliveryStatus, number>> | null;
};

const columns = `m.id, m.tenant_id, m.source, m.channel, m.class, m.category, m.template, m.labels, m.outlet_id, m.caller_kind,
	m.caller_id, m.about_tenant_id, m.resend_of, m.send_at, m.expires_at, m.created_at, m.recipients, m.pending,
	(select jsonb_object_agg(c.status, c.n) from (
	   select d.status, count(*) as n from message_deliveries d
	    where d.tenant_id = m.tenant_id and d.message_id = m.id group by d.status) c) as counts`;

/** Lists messages, the newest first. Call it inside a tenant or across tenants. */
export async function listMessages(tx: Database, query: FeedQuery): Promise<FeedMessage[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from messages m
		  where ${withinOutlets("m.outlet_id", "$1")}
		    and ($2::uuid is null or m.id < $2)
		    and ($3::text is null or m.channel = $3) and ($4::text is null or m.template = $4)
		    and ($5::text is null or m.category = $5) and ($6::text is null or m.source = $6)
		    and ($7::text is null or m.labels->>$7 = $8)
		    and ($9::timestamptz is null or m.created_at >= $9) and ($10::timestamptz is null or m.created_at < $10)
		    and (($11::text is null and $12::bytea[] is null and $13::uuid is null) or exists (
		      select from message_deliveries d
		       where d.tenant_id = m.tenant_id and d.message_id = m.id and ($11 is null or d.status = $11)
		         and ($12 is null or d.address_key = any ($12)) and ($13 is null or d.user_id = $13)))
		    and ($15::uuid is null or m.outlet_id = $15)
		  order by m.id desc limit $14`,
		[
			query.outlets,
			query.after ?? null,
			query.channel ?? null,
			query.template ?? null,
			query.category ?? null,
			query.source ?? null,
			query.label?.[0] ?? null,
			query.label?.[1] ?? null,
			query.from ?? null,
			query.to ?? null,
			query.status ?? null,
			query.addressKeys === undefined ? null : [...query.addressKeys],
			query.userId ?? null,
			query.limit,
			query.outletId,
		],
	);
	return rows.map(fromRow);
}

/** Returns a message of these outlets; undefined if not found. Call it inside the tenant. */
export async function findMessage(
	tx: Database,
	{ id, outlets }: { id: string; outlets: OutletFilter },
): Promise<FeedMessage | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from messages m where m.id = $1 and ${withinOutlets("m.outlet_id", "$2")}`,
		[id, outlets],
	);
	return row && fromRow(row);
}

/** Returns the queued deliveries of a message, locked, at most `limit`. Call it inside the tenant. */
export async function lockQueued(
	tx: Database,
	{ tenantId, messageId }: { tenantId: string; messageId: string },
): Promise<string[]> {
	const rows = await tx.query<{ id: string }>(
		`select id from message_deliveries
		  where tenant_id = $1 and message_id = $2 and status = 'queued' order by id for update`,
		[tenantId, messageId],
	);
	return rows.map(({ id }) => id);
}

/** Gives e-mails back to the day on which they would have been sent. Call it inside the tenant. */
export async function giveBackDay(
	tx: Database,
	{ tenantId, messageId, count }: { tenantId: string; messageId: string; count: number },
): Promise<void> {
	await tx.query(
		`update send_days s set used = greatest(s.used - $2, 0)
		   from messages m, tenants t
		  where s.tenant_id = $3 and m.tenant_id = $3 and m.id = $1 and t.id = $3
		    and m.channel = 'email' and not m.is_exempt and s.day = (m.send_at at time zone t.time_zone)::date`,
		[messageId, count, tenantId],
	);
}

function fromRow(row: Row): FeedMessage {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		source: row.source,
		channel: row.channel,
		messageClass: row.class,
		category: row.category,
		template: row.template,
		labels: row.labels,
		outletId: row.outlet_id,
		requester: { kind: row.caller_kind, id: row.caller_id },
		aboutTenantId: row.about_tenant_id,
		resendOf: row.resend_of,
		sendAt: row.send_at,
		expiresAt: row.expires_at,
		createdAt: row.created_at,
		recipients: row.recipients,
		pending: row.pending,
		counts: row.counts ?? {},
	};
}
