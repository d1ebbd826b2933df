import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";
import type { Class } from "../message.ts";
import type { SuppressionReason } from "../suppressions/suppression.store.ts";

/** A tenant's queue for a channel and a class. */
export type Lane = { tenantId: string; channel: Channel; messageClass: Class };

/** A delivery that this process leased, with what it needs of its message. */
export type Claimed = {
	id: string;
	attempt: number;
	failures: number;
	/** Failures, and tries that reached no provider: the delay before the next try follows from them. */
	tries: number;
	/** What to do with it: it expired or its address was suppressed after it was accepted. */
	verdict: "send" | "expired" | "suppressed";
	messageId: string;
	address: Sealed;
	addressKey: Buffer;
	userId: string | undefined;
	locales: readonly string[];
	/** The provider of the attempt before. */
	providerId: string | undefined;
	dueAt: Date;
	expiresAt: Date;
	category: string;
	/** Undefined for a test, whose draft is in its data. */
	templateVersionId: string | undefined;
	data: Sealed;
	/** The provider that the request named. */
	provider: string | undefined;
	isExempt: boolean;
	/** From here on another process may claim it. */
	leaseUntil: Date;
};

type Row = {
	id: string;
	attempt: number;
	failures: number;
	tries: number;
	verdict: Claimed["verdict"];
	message_id: string;
	address_key_id: string;
	address: Buffer;
	address_key: Buffer;
	user_id: string | null;
	locale: string | null;
	provider_id: string | null;
	due_at: Date;
	expires_at: Date;
	category: string;
	template_version_id: string | null;
	data_key_id: string;
	data: Buffer;
	message_locale: string | null;
	provider: string | null;
	is_exempt: boolean;
};

/** Lists lanes with due deliveries, the least recently served first; lanes of suspended tenants rest. */
export async function listDueLanes(
	db: Database,
	{ messageClass, limit, now }: { messageClass: Class; limit: number; now: Date },
): Promise<Lane[]> {
	const rows = await db.query<{ tenant_id: string; channel: Channel }>(
		"select tenant_id, channel from due_lanes($1, $2, $3)",
		[messageClass, limit, now],
	);
	return rows.map(({ tenant_id, channel }) => ({ tenantId: tenant_id, channel, messageClass }));
}

/** Leases due deliveries of a lane, at most `limit`. Call it inside the tenant. */
export async function claimLane(
	tx: Database,
	lane: Lane,
	{
		limit,
		leaseSeconds,
		critical,
		now,
	}: { limit: number; leaseSeconds: number; critical: readonly string[]; now: Date },
): Promise<Claimed[]> {
	const rows = await tx.query<Row>(
		`select id, attempt, failures, tries, verdict, message_id, address_key_id, address, address_key, user_id, locale,
		        provider_id, due_at, expires_at, category, template_version_id, data_key_id, data, message_locale, provider, is_exempt
		   from claim_lane($1, $2, $3, $4)`,
		[
			lane.tenantId,
			JSON.stringify({
				channel: lane.channel,
				class: lane.messageClass,
				lease_seconds: leaseSeconds,
				critical,
			}),
			limit,
			now,
		],
	);
	const leaseUntil = new Date(now.getTime() + leaseSeconds * 1_000);
	return rows.map((row) => ({ ...fromRow(row), leaseUntil }));
}

/** A suppression of an address. */
type Suppressed = { addressKey: string; category: string | null; reason: SuppressionReason };

/**
 * Lists the suppressions of these address keys, which are in hex: the tenant's, and those of every tenant.
 */
export async function listSuppressedAmong(
	tx: Database,
	{ tenantId, channel }: Lane,
	{ keys, now }: { keys: readonly string[]; now: Date },
): Promise<Suppressed[]> {
	return tx.query<Suppressed>(
		`select encode(address_key, 'hex') as "addressKey", category, reason
		   from list_suppressed($1, $2, $3, $4)`,
		[tenantId, channel, keys.map((key) => Buffer.from(key, "hex")), now],
	);
}

/**
 * Records that a provider is called now, in a statement of its own: the outcome may be unknown from here on.
 */
export async function recordCall(
	tx: Database,
	{
		tenantId,
		id,
		attempt,
		providerId,
		textKey,
		now,
	}: {
		tenantId: string;
		id: string;
		attempt: number;
		providerId: string;
		textKey: Buffer | undefined;
		now: Date;
	},
): Promise<boolean> {
	const rows = await tx.query(
		`update message_deliveries set called_at = $4, provider_id = $3, text_key = $5
		  where tenant_id = $6 and id = $1 and attempt = $2 and status = 'sending' and lease_until > $4 returning id`,
		[id, attempt, providerId, now, textKey ?? null, tenantId],
	);
	return rows.length > 0;
}

function fromRow(row: Row): Omit<Claimed, "leaseUntil"> {
	return {
		id: row.id,
		attempt: row.attempt,
		failures: row.failures,
		tries: row.tries,
		verdict: row.verdict,
		messageId: row.message_id,
		address: { keyId: row.address_key_id, sealed: row.address },
		addressKey: row.address_key,
		userId: row.user_id ?? undefined,
		locales: [row.message_locale, row.locale].filter((one) => one !== null),
		providerId: row.provider_id ?? undefined,
		dueAt: row.due_at,
		expiresAt: row.expires_at,
		category: row.category,
		templateVersionId: row.template_version_id ?? undefined,
		data: { keyId: row.data_key_id, sealed: row.data },
		provider: row.provider ?? undefined,
		isExempt: row.is_exempt,
	};
}
