import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** A provider as its administrators see it: never its credentials. */
export type Provider = {
	id: string;
	/** Whether it is the platform's. */
	isPlatform: boolean;
	channel: Channel;
	kind: string;
	name: string;
	baseUrl: string | undefined;
	/** The sender's address of mails through a tenant's own provider. */
	fromAddress: string | undefined;
	weight: number;
	restingWeight: number;
	perSecond: number;
	inFlightMax: number;
	isEnabled: boolean;
	degradedAt: Date | undefined;
	createdAt: Date;
	/** Its position in the list: microseconds since 1970. */
	place: string;
};

const columns = `id, tenant_id is null as is_platform, channel, kind, name, base_url, from_address, weight, resting_weight,
	per_second, in_flight_max, enabled, degraded_at, created_at, (extract(epoch from created_at) * 1000000)::bigint::text as place`;

type Row = {
	id: string;
	is_platform: boolean;
	channel: Channel;
	kind: string;
	name: string;
	base_url: string | null;
	from_address: string | null;
	weight: number;
	resting_weight: number;
	per_second: number;
	in_flight_max: number;
	enabled: boolean;
	degraded_at: Date | null;
	created_at: Date;
	place: string;
};

const toProvider = (row: Row): Provider => ({
	...{ id: row.id, isPlatform: row.is_platform, channel: row.channel, kind: row.kind, name: row.name },
	...{ baseUrl: row.base_url ?? undefined, fromAddress: row.from_address ?? undefined },
	...{ weight: row.weight, restingWeight: row.resting_weight, perSecond: row.per_second },
	...{ inFlightMax: row.in_flight_max, isEnabled: row.enabled, degradedAt: row.degraded_at ?? undefined },
	...{ createdAt: row.created_at, place: row.place },
});

/**
 * Lists the providers of the tenant and of the platform, or of the platform only. Call it inside the tenant.
 */
export async function listProviders(
	tx: Database,
	{
		onlyPlatform,
		after,
		limit,
	}: { onlyPlatform: boolean; after: readonly [string, string] | undefined; limit: number },
): Promise<Provider[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from every_provider
		  where (not $1 or tenant_id is null)
		    and ($2::bigint is null or (created_at, id) < (timestamptz 'epoch' + $2 * interval '1 microsecond', $3::uuid))
		  order by created_at desc, id desc limit $4`,
		[onlyPlatform, after?.[0] ?? null, after?.[1] ?? null, limit],
	);
	return rows.map(toProvider);
}

/** Finds a provider of the tenant or of the platform. Call it inside the tenant. */
export async function findProvider(tx: Database, id: string): Promise<Provider | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from every_provider where id = $1`, [id]);
	return row && toProvider(row);
}

/** Returns the id of a provider of the platform; undefined if not found. */
export async function findPlatformProviderId(
	db: Database,
	{ channel, name }: { channel: Channel; name: string },
): Promise<string | undefined> {
	const [row] = await db.query<{ id: string }>(
		"select id from platform_providers where channel = $1 and name = $2",
		[channel, name],
	);
	return row?.id;
}

/** What is stored of a provider; undefined members of a change stay as they are. */
export type ProviderChange = {
	channel?: Channel;
	kind?: string;
	name?: string;
	baseUrl?: string;
	fromAddress?: string;
	secrets?: Sealed;
	webhookTokenHash?: Buffer;
	restingWeight?: number;
	perSecond?: number;
	inFlightMax?: number;
	isEnabled?: boolean;
	createdBy?: string;
};

/**
 * Creates a provider, or changes the one with an id. `tenantId` undefined: the platform's. Returns its id;
 * undefined if the owner has no provider with this id. Rejects with a violation of `providers__name_unique`
 * or `platform_providers__name_unique` if the name is taken, and of `providers__count` if there are 20 on the
 * channel.
 */
export async function saveProvider(
	tx: Database,
	{
		id,
		tenantId,
		change,
		now,
	}: { id?: string; tenantId: string | undefined; change: ProviderChange; now: Date },
): Promise<string | undefined> {
	const stored = {
		...{ channel: change.channel, kind: change.kind, name: change.name, base_url: change.baseUrl },
		from_address: change.fromAddress,
		...{ resting_weight: change.restingWeight, per_second: change.perSecond },
		...{ in_flight_max: change.inFlightMax, enabled: change.isEnabled, made_by: change.createdBy },
		credentials_key_id: change.secrets?.keyId,
		credentials: change.secrets?.sealed.toString("hex"),
		webhook_token_hash: change.webhookTokenHash?.toString("hex"),
	};
	const [row] = await tx.query<{ id: string | null }>("select save_provider($1, $2, $3, $4) as id", [
		tenantId ?? null,
		id ?? null,
		JSON.stringify(stored),
		now,
	]);
	return row?.id ?? undefined;
}

/** Removes a provider. Returns whether there was one. `tenantId` undefined: the platform's. */
export async function removeProvider(
	tx: Database,
	{ id, tenantId }: { id: string; tenantId: string | undefined },
): Promise<boolean> {
	const [row] = await tx.query<{ is_removed: boolean }>("select remove_provider($1, $2) as is_removed", [
		tenantId ?? null,
		id,
	]);
	return row?.is_removed ?? false;
}

/** How a provider did in a minute. */
export type Minute = { minute: Date; sent: number; errors: number; slow: number };

/** Lists the minutes of a provider since a time, the newest first. The caller may see the provider. */
export async function listMinutes(tx: Database, id: string, since: Date): Promise<Minute[]> {
	return tx.query<Minute>("select minute, sent, errors, slow from list_provider_minutes($1, $2)", [
		id,
		since,
	]);
}
