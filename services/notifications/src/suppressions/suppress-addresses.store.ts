import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** A delivery whose address is to be suppressed. */
export type AddressToSuppress = {
	deliveryId: string;
	reason: "bounce" | "invalid" | "complaint";
	/** The category that the recipient complained about; undefined: all categories. */
	category?: string;
	/** For how many days; undefined: for ever, or for 90 days where the suppression holds for every tenant. */
	days?: number;
};

/** An address that is suppressed since now. */
export type SuppressedAddress = {
	deliveryId: string;
	channel: Channel;
	userId: string | undefined;
	addressMasked: string;
	reason: string;
};

/**
 * Suppresses the addresses of deliveries. An address that can never be reached is suppressed for every tenant
 * for 90 days if a provider of the platform said so. Returns the new suppressions. Call it inside the tenant.
 */
export async function suppressAddressesOf(
	tx: Database,
	{ tenantId, items, now }: { tenantId: string; items: readonly AddressToSuppress[]; now: Date },
): Promise<SuppressedAddress[]> {
	const bad = await listBadAddresses(tx, { tenantId, items });
	const ofPlatform = await listPlatformProviders(tx, bad.filter(mayBeEverywhere));
	const isEverywhere = (one: BadAddress) => mayBeEverywhere(one) && ofPlatform.has(one.provider_id ?? "");
	const [everywhere, here] = [bad.filter(isEverywhere), bad.filter((one) => !isEverywhere(one))];
	const suppressed: Array<Pick<BadAddress, "delivery_id" | "category">> = [];
	if (here.length > 0)
		suppressed.push(
			...(await tx.query<(typeof suppressed)[number]>(
				"select delivery_id, category from suppress_addresses($1, $2, $3)",
				[tenantId, JSON.stringify(here), now],
			)),
		);
	if (everywhere.length > 0)
		suppressed.push(
			...(await tx.query<(typeof suppressed)[number]>(
				"select delivery_id, category from suppress_everywhere($1, $2)",
				[JSON.stringify(everywhere), now],
			)),
		);
	const keyOf = ({ delivery_id, category }: (typeof suppressed)[number]) => `${delivery_id} ${category}`;
	const isNew = new Set(suppressed.map(keyOf));
	return bad
		.filter((one) => isNew.has(keyOf(one)))
		.toSorted((left, right) => (left.delivery_id < right.delivery_id ? -1 : 1))
		.map((one) => ({
			deliveryId: one.delivery_id,
			channel: one.channel,
			userId: one.user_id ?? undefined,
			addressMasked: one.masked,
			reason: one.reason,
		}));
}

/** The address of a delivery as the functions take it; its key is in hex. */
type BadAddress = {
	delivery_id: string;
	channel: Channel;
	user_id: string | null;
	key_id: string;
	key: string;
	masked: string;
	provider_id: string | null;
	category: string | null;
	reason: string;
	days: number | null;
};

/** An address that can never be reached holds for every tenant if a provider of the platform said so. */
const mayBeEverywhere = ({ channel, category, days }: BadAddress) =>
	channel !== "push" && category === null && days === null;

/** Lists each address once for a category, in the order in which it is locked. */
async function listBadAddresses(
	tx: Database,
	{ tenantId, items }: { tenantId: string; items: readonly AddressToSuppress[] },
): Promise<BadAddress[]> {
	return tx.query<BadAddress>(
		`select distinct on (d.channel, d.address_key, i.category)
		        d.id as delivery_id, d.channel, d.user_id, coalesce(d.address_key_id, '') as key_id, encode(d.address_key, 'hex') as key,
		        d.address_masked as masked, d.provider_id, i.category, i.reason, i.days
		   from jsonb_to_recordset($2) as i (delivery_id uuid, category text, reason text, days integer)
		   join message_deliveries d on d.tenant_id = $1 and d.id = i.delivery_id
		  order by d.channel, d.address_key, i.category, i.days nulls first, d.id`,
		[
			tenantId,
			JSON.stringify(items.map(({ deliveryId, ...item }) => ({ delivery_id: deliveryId, ...item }))),
		],
	);
}

async function listPlatformProviders(tx: Database, bad: readonly BadAddress[]): Promise<Set<string>> {
	const ids = bad.map(({ provider_id }) => provider_id).filter((id) => id !== null);
	if (ids.length === 0) return new Set();
	const rows = await tx.query<{ id: string }>("select id from platform_providers where id = any ($1)", [ids]);
	return new Set(rows.map(({ id }) => id));
}

/** Lists the addresses of deliveries as they are stored; a purged one has only its key. */
export async function listAddressesOfDeliveries(
	tx: Database,
	deliveryIds: readonly string[],
): Promise<Array<{ deliveryId: string; channel: Channel; addressKey: Buffer; address: Sealed | undefined }>> {
	const rows = await tx.query<{
		id: string;
		channel: Channel;
		address_key: Buffer;
		address_key_id: string | null;
		address: Buffer | null;
	}>("select id, channel, address_key, address_key_id, address from message_deliveries where id = any ($1)", [
		[...deliveryIds],
	]);
	return rows.map(({ id, channel, address_key, address_key_id: keyId, address }) => ({
		...{ deliveryId: id, channel, addressKey: address_key },
		address: keyId === null || address === null ? undefined : { keyId, sealed: address },
	}));
}

/** Where the address of a delivery is found: its keys. */
export type AddressPlace = { deliveryId: string; channel: Channel; keys: readonly Buffer[] };

/** Marks contact points and devices with these addresses as invalid. Call it inside the tenant. */
export async function invalidateContactPoints(
	tx: Database,
	{ tenantId, places, now }: { tenantId: string; places: readonly AddressPlace[]; now: Date },
): Promise<void> {
	const keys = places.flatMap(({ channel, keys: all }) =>
		all.map((key) => ({ channel, key: key.toString("hex") })),
	);
	await tx.query(
		`update contact_points c set invalid_at = $2 from jsonb_to_recordset($1) as k (channel text, key text)
		  where c.tenant_id = $3 and c.channel = k.channel and c.address_key = decode(k.key, 'hex') and c.invalid_at is null`,
		[JSON.stringify(keys), now, tenantId],
	);
}
