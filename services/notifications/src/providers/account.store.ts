import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** An enabled provider, with its encrypted credentials. */
export type StoredAccount = {
	id: string;
	/** Whether it is the tenant's own, and not the platform's. */
	isOwn: boolean;
	kind: string;
	name: string;
	baseUrl: string | undefined;
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
	}>(
		`select id, tenant_id, kind, name, base_url, credentials_key_id, credentials, weight, per_second, in_flight_max
		   from list_sending_providers($1, $2)`,
		[tenantId, channel],
	);
	return rows.map((row) => ({
		id: row.id,
		isOwn: row.tenant_id !== null,
		kind: row.kind,
		name: row.name,
		baseUrl: row.base_url ?? undefined,
		credentials: { keyId: row.credentials_key_id, sealed: row.credentials },
		weight: row.weight,
		perSecond: row.per_second,
		inFlightMax: row.in_flight_max,
	}));
}
