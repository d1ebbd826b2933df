import { type Database, type OutletFilter, withinOutlets } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";
import type { DeliveryStatus } from "../delivery.ts";
import type { Class } from "../message.ts";
import { providersOf } from "../providers/account.store.ts";

/** A delivery as it is shown; its address is masked. */
export type DeliveryView = {
	id: string;
	messageId: string;
	position: number;
	channel: Channel;
	messageClass: Class;
	addressMasked: string;
	userId: string | null;
	status: DeliveryStatus;
	attempt: number;
	dueAt: Date;
	expiresAt: Date;
	provider: string | null;
	providerKind: string | null;
	segments: number;
	errorClass: string | null;
	errorCode: string | null;
	createdAt: Date;
	/** When its message is due at the earliest. */
	sendAt: Date;
	sentAt: Date | null;
	finalAt: Date | null;
};

type Row = {
	id: string;
	message_id: string;
	position: number;
	channel: Channel;
	class: Class;
	address_masked: string;
	user_id: string | null;
	status: DeliveryStatus;
	attempt: number;
	due_at: Date;
	expires_at: Date;
	provider_id: string | null;
	segments: number;
	error_class: string | null;
	error_code: string | null;
	created_at: Date;
	send_at: Date;
	sent_at: Date | null;
	final_at: Date | null;
};

const selection = `
	select d.id, d.message_id, d.position, d.channel, d.class, d.address_masked, d.user_id, d.status, d.attempt, d.due_at, d.expires_at,
	       d.provider_id, d.segments, d.error_class, d.error_code, d.created_at, m.send_at, d.sent_at,
	       d.final_at
	  from message_deliveries d
	  join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id`;

/** Lists the deliveries of a message in the order of its recipients. Call it inside the tenant. */
export async function listDeliveries(
	tx: Database,
	query: {
		messageId: string;
		outlets: OutletFilter;
		status: DeliveryStatus | undefined;
		after: number;
		limit: number;
	},
): Promise<DeliveryView[]> {
	const { messageId, outlets, status, after, limit } = query;
	const rows = await tx.query<Row>(
		`${selection} where d.message_id = $1 and ${withinOutlets("m.outlet_id", "$2")}
		    and ($3::text is null or d.status = $3) and d.position > $4
		  order by d.position limit $5`,
		[messageId, outlets, status ?? null, after, limit],
	);
	return withProviders(tx, rows);
}

/** Returns a delivery of these outlets; undefined if not found. Call it inside the tenant. */
export async function findDelivery(
	tx: Database,
	{ id, outlets }: { id: string; outlets: OutletFilter },
): Promise<DeliveryView | undefined> {
	const [row] = await tx.query<Row>(
		`${selection} where d.id = $1 and ${withinOutlets("m.outlet_id", "$2")}`,
		[id, outlets],
	);
	return row && (await withProviders(tx, [row]))[0];
}

async function withProviders(tx: Database, rows: readonly Row[]): Promise<DeliveryView[]> {
	const providers = await providersOf(
		tx,
		rows.map(({ provider_id }) => provider_id),
	);
	return rows.map((row) => fromRow(row, providers.get(row.provider_id ?? "")));
}

/** An entry of a delivery's timeline. */
export type TimelineEntry = { at: Date; kind: string; detail: Readonly<Record<string, unknown>> };

const timelineMax = 200;

/** Lists the newest 200 entries of a delivery's timeline, the oldest first. Call it inside the tenant. */
export async function listTimeline(tx: Database, deliveryId: string): Promise<TimelineEntry[]> {
	const rows = await tx.query<TimelineEntry>(
		`select at, kind, detail from (
		   select at, kind, detail, id from delivery_events where delivery_id = $1 order by at desc, id desc limit $2) newest
		  order by at, id`,
		[deliveryId, timelineMax],
	);
	return rows;
}

/** What a resend needs of a delivery. Undefined members were purged. */
export type ResendSource = {
	id: string;
	status: DeliveryStatus;
	channel: Channel;
	template: string;
	/** A test's draft may be gone. */
	isTest: boolean;
	errorCode: string | null;
	provider: string | null;
	outletId: string | null;
	locale: string | null;
	labels: Readonly<Record<string, string>>;
	address: Sealed | undefined;
	userId: string | null;
	data: Sealed | undefined;
	isExempt: boolean;
	aboutTenantId: string | null;
	/** The message by which it was sent again; null if it was not. */
	resentAs: string | null;
};

/** Returns what a resend needs; undefined if not found. Call it inside the tenant. */
export async function findResendSource(
	tx: Database,
	{ id, outlets }: { id: string; outlets: OutletFilter },
): Promise<ResendSource | undefined> {
	const [row] = await tx.query<{
		id: string;
		status: DeliveryStatus;
		channel: Channel;
		template: string;
		is_test: boolean;
		error_code: string | null;
		provider: string | null;
		outlet_id: string | null;
		locale: string | null;
		labels: Record<string, string>;
		address_key_id: string | null;
		address: Buffer | null;
		user_id: string | null;
		data_key_id: string | null;
		data: Buffer | null;
		is_exempt: boolean;
		about_tenant_id: string | null;
		resent_as: string | null;
	}>(
		`select d.id, d.status, d.channel, m.template, m.source = 'test' as is_test, d.error_code, m.provider, m.outlet_id,
		        coalesce(m.locale, d.locale) as locale, m.labels, d.address_key_id, d.address, d.user_id, m.data_key_id, m.data,
		        m.is_exempt, m.about_tenant_id,
		        (select r.id from messages r where r.tenant_id = d.tenant_id and r.resend_of = d.id limit 1) as resent_as
		   from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
		  where d.id = $1 and ${withinOutlets("m.outlet_id", "$2")}`,
		[id, outlets],
	);
	return (
		row && {
			id: row.id,
			status: row.status,
			channel: row.channel,
			template: row.template,
			isTest: row.is_test,
			errorCode: row.error_code,
			provider: row.provider,
			outletId: row.outlet_id,
			locale: row.locale,
			labels: row.labels,
			address: sealedOf(row.address_key_id, row.address),
			userId: row.user_id,
			data: sealedOf(row.data_key_id, row.data),
			isExempt: row.is_exempt,
			resentAs: row.resent_as,
			aboutTenantId: row.about_tenant_id,
		}
	);
}

/**
 * Returns the address of a delivery, encrypted; undefined if not found or purged. Call it inside the tenant.
 */
export async function findAddress(
	tx: Database,
	{ id, outlets }: { id: string; outlets: OutletFilter },
): Promise<Sealed | undefined> {
	return (await findResendSource(tx, { id, outlets }))?.address;
}

const sealedOf = (keyId: string | null, sealed: Buffer | null): Sealed | undefined =>
	keyId === null || sealed === null ? undefined : { keyId, sealed };

function fromRow(row: Row, provider: { name: string; kind: string } | undefined): DeliveryView {
	return {
		id: row.id,
		messageId: row.message_id,
		position: row.position,
		channel: row.channel,
		messageClass: row.class,
		addressMasked: row.address_masked,
		userId: row.user_id,
		status: row.status,
		attempt: row.attempt,
		dueAt: row.due_at,
		expiresAt: row.expires_at,
		provider: provider?.name ?? null,
		providerKind: provider?.kind ?? null,
		segments: row.segments,
		errorClass: row.error_class,
		errorCode: row.error_code,
		createdAt: row.created_at,
		sendAt: row.send_at,
		sentAt: row.sent_at,
		finalAt: row.final_at,
	};
}
