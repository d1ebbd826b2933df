import type { Database } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { DeliveryStatus } from "../delivery.ts";

/** A change of a delivery's state. */
export type Result = {
	id: string;
	/**
	 * The attempt that the result is of; undefined: whichever it is. A result of an older attempt changes
	 * nothing.
	 */
	attempt?: number;
	/** The states that it may change. */
	from: readonly DeliveryStatus[];
	status: DeliveryStatus;
	/** See `ranks`: without it the state changes whatever its rank. */
	rank?: number;
	providerId?: string;
	ref?: string;
	errorClass?: string;
	errorCode?: string;
	/** When it is tried or looked up next. */
	dueAt?: Date;
	/** A provider answered that it failed. */
	isFailure?: boolean;
	segments?: number;
	/** The provider said that the address can never be reached. */
	suppress?: "bounce" | "invalid";
	/** The entry of the timeline. */
	event?: { kind: "decision" | "attempt" | "report"; detail: Readonly<Record<string, unknown>> };
};

/** A delivery whose state changed, as its event states it. */
export type Changed = {
	id: string;
	messageId: string;
	channel: Channel;
	status: DeliveryStatus;
	version: number;
	userId: string | undefined;
	addressMasked: string;
	errorClass: string | undefined;
	errorCode: string | undefined;
	providerKind: string | undefined;
	template: string;
};

/** A delivery that was settled. */
export type Settled = Omit<Changed, "providerKind"> & {
	providerId: string | undefined;
	/** All deliveries of its message are sent or final since this change. */
	isMessageComplete: boolean;
	wantsEvents: boolean;
	/** The tenant's SMS credit fell below its threshold with this change. */
	creditLow: { balance: number; threshold: number } | undefined;
};

/**
 * Settles results in the caller's transaction. Returns the deliveries that changed. Call it inside the
 * tenant.
 */
export async function settleDeliveries(
	tx: Database,
	{ tenantId, results, now }: { tenantId: string; results: readonly Result[]; now: Date },
): Promise<Settled[]> {
	const rows = await tx.query<{
		id: string;
		message_id: string;
		channel: Channel;
		status: DeliveryStatus;
		version: number;
		user_id: string | null;
		address_masked: string;
		error_class: string | null;
		error_code: string | null;
		provider_id: string | null;
		template: string;
		is_message_complete: boolean;
		wants_events: boolean;
		credit_low: { balance: number; threshold: number } | null;
	}>(
		`select id, message_id, channel, status, version, user_id, address_masked, error_class, error_code, provider_id, template,
		        is_message_complete, wants_events, credit_low
		   from settle_deliveries($1, $2, $3)`,
		[tenantId, JSON.stringify(results.map(toRow)), now],
	);
	return rows.map((row) => ({
		id: row.id,
		messageId: row.message_id,
		channel: row.channel,
		status: row.status,
		version: row.version,
		userId: row.user_id ?? undefined,
		addressMasked: row.address_masked,
		errorClass: row.error_class ?? undefined,
		errorCode: row.error_code ?? undefined,
		providerId: row.provider_id ?? undefined,
		template: row.template,
		isMessageComplete: row.is_message_complete,
		wantsEvents: row.wants_events,
		creditLow: row.credit_low ?? undefined,
	}));
}

function toRow({ event, ...result }: Result): Record<string, unknown> {
	return {
		id: result.id,
		attempt: result.attempt,
		from: result.from,
		status: result.status,
		rank: result.rank,
		provider_id: result.providerId,
		ref: result.ref,
		error_class: result.errorClass,
		error_code: result.errorCode,
		due_at: result.dueAt?.toISOString(),
		is_failure: result.isFailure ?? false,
		is_bad_address: result.suppress !== undefined,
		segments: result.segments,
		kind: event?.kind,
		detail: event?.detail,
	};
}

/** A message whose deliveries are all sent or final, as its event states it. */
export type CompletedMessage = {
	id: string;
	source: string;
	channel: Channel;
	template: string;
	templateVersionId: string;
	labels: Record<string, string>;
	counts: Record<string, number>;
};

/**
 * Returns messages, but no tests, with the counts of their deliveries by status. Call it inside the tenant.
 */
export async function listCompleted(tx: Database, ids: readonly string[]): Promise<CompletedMessage[]> {
	const rows = await tx.query<{
		id: string;
		source: string;
		channel: Channel;
		template: string;
		template_version_id: string;
		labels: Record<string, string>;
		counts: Record<string, number>;
	}>(
		`select m.id, m.source, m.channel, m.template, m.labels,
		        coalesce(m.template_version_id, m.platform_version_id) as template_version_id,
		        (select jsonb_object_agg(c.status, c.n)
		           from (select d.status, count(*) as n from message_deliveries d
		                  where d.tenant_id = m.tenant_id and d.message_id = m.id group by d.status) c) as counts
		   from messages m where m.id = any ($1) and m.source <> 'test' order by m.id`,
		[[...ids]],
	);
	return rows.map(({ template_version_id, ...row }) => ({ ...row, templateVersionId: template_version_id }));
}
