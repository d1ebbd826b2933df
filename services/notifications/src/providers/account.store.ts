import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";
import type { Grant } from "./pace.ts";

/** An enabled provider, with its encrypted credentials. */
export type StoredAccount = {
	id: string;
	/** Whether it is the tenant's own, and not the platform's. */
	isOwn: boolean;
	kind: string;
	name: string;
	baseUrl: string | undefined;
	/** The sender's address of mails through a tenant's own provider. */
	fromAddress: string | undefined;
	credentials: Sealed;
	weight: number;
	perSecond: number;
	inFlightMax: number;
};

/** Lists the enabled providers that a tenant can send through on a channel: its own, and the platform's. */
export async function listSendingProviders(
	db: Database,
	{ tenantId, channel }: { tenantId: string; channel: Channel },
): Promise<StoredAccount[]> {
	const rows = await db.query<{
		id: string;
		tenant_id: string | null;
		kind: string;
		name: string;
		base_url: string | null;
		credentials_key_id: string;
		credentials: Buffer;
		weight: number;
		per_second: number;
		in_flight_max: number;
		from_address: string | null;
	}>(
		`select id, tenant_id, kind, name, base_url, credentials_key_id, credentials, weight, per_second, in_flight_max,
		        from_address
		   from list_sending_providers($1, $2)`,
		[tenantId, channel],
	);
	return rows.map((row) => ({
		id: row.id,
		isOwn: row.tenant_id !== null,
		kind: row.kind,
		name: row.name,
		baseUrl: row.base_url ?? undefined,
		fromAddress: row.from_address ?? undefined,
		credentials: { keyId: row.credentials_key_id, sealed: row.credentials },
		weight: row.weight,
		perSecond: row.per_second,
		inFlightMax: row.in_flight_max,
	}));
}

/**
 * Returns the names and kinds of providers of the tenant and of the platform by their ids; those that were
 * removed are left out. Call it inside the tenant.
 */
export async function providersOf(
	tx: Database,
	ids: ReadonlyArray<string | null | undefined>,
): Promise<ReadonlyMap<string, { name: string; kind: string }>> {
	const known = new Set(ids.filter((id) => typeof id === "string"));
	if (known.size === 0) return new Map();
	const rows = await tx.query<{ id: string; name: string; kind: string }>(
		"select id, name, kind from every_provider where id = any ($1)",
		[[...known]],
	);
	return new Map(rows.map(({ id, ...provider }) => [id, provider]));
}

/** Takes calls from a provider's pace; undefined if it does not exist (`take_provider_pace`). */
export async function takePace(
	db: Database,
	providerId: string,
	{ others, bulk }: { others: number; bulk: number },
): Promise<Grant | undefined> {
	const [row] = await db.query<{
		starts_in_ms: number;
		spacing_ms: number;
		granted: number;
		granted_bulk: number;
		bulk_in_ms: number;
	}>(
		"select starts_in_ms, spacing_ms, granted, granted_bulk, bulk_in_ms from take_provider_pace($1, $2, $3)",
		[providerId, others, bulk],
	);
	return (
		row && {
			...{ startsInMs: row.starts_in_ms, spacingMs: row.spacing_ms, bulkInMs: row.bulk_in_ms },
			...{ granted: row.granted, grantedBulk: row.granted_bulk },
		}
	);
}

/** The provider of a webhook. */
export type StoredWebhookProvider = Pick<StoredAccount, "isOwn" | "kind" | "baseUrl" | "credentials"> & {
	tokenHash: Buffer | undefined;
};

/** Finds a provider of any tenant, or of the platform, by its id. */
export async function findWebhookProvider(
	db: Database,
	id: string,
): Promise<StoredWebhookProvider | undefined> {
	const [row] = await db.query<{
		tenant_id: string | null;
		kind: string;
		base_url: string | null;
		credentials_key_id: string;
		credentials: Buffer;
		webhook_token_hash: Buffer | null;
	}>(
		`select tenant_id, kind, base_url, credentials_key_id, credentials, webhook_token_hash
		   from find_webhook_provider($1)`,
		[id],
	);
	return (
		row && {
			isOwn: row.tenant_id !== null,
			kind: row.kind,
			baseUrl: row.base_url ?? undefined,
			credentials: { keyId: row.credentials_key_id, sealed: row.credentials },
			tokenHash: row.webhook_token_hash ?? undefined,
		}
	);
}
