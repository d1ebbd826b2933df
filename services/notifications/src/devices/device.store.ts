import type { Database } from "@lango/postgres";
import type { SealedAddress } from "../addresses/sealed-address.ts";

export const platforms = ["android", "ios", "web"] as const;
type Platform = (typeof platforms)[number];

/** A device of a person. */
export type Device = { id: string; platform: Platform; masked: string; createdAt: Date };

type Row = { id: string; platform: Platform; address_masked: string; created_at: Date };
const columns = "id, platform, address_masked, created_at";
const fromRow = (row: Row): Device => ({
	...{ id: row.id, platform: row.platform, masked: row.address_masked, createdAt: row.created_at },
});

/** The most devices of a person in a tenant: the oldest one makes room. */
export const devicesMax = 20;

/** Lists a person's devices, the newest first. Call it inside the tenant. */
export async function listDevices(tx: Database, userId: string): Promise<Device[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from contact_points where user_id = $1 and channel = 'push' order by created_at desc, id desc limit $2`,
		[userId, devicesMax],
	);
	return rows.map(fromRow);
}

type Registering = {
	tenantId: string;
	userId: string;
	platform: Platform;
	token: SealedAddress & { masked: string };
	now: Date;
};

/**
 * Registers a device, which then belongs to this person only, in every tenant. Registering it again makes it
 * the newest. Call it inside the tenant.
 */
export async function recordDevice(tx: Database, registering: Registering): Promise<Device> {
	const { tenantId, userId, platform, token, now } = registering;
	const [key, ...olderKeys] = token.keys;
	await tx.query("select take_device($1, $2)", [userId, [...token.keys]]);
	// From before a rotation of keys: the row would be a second one.
	await tx.query(
		"delete from contact_points where user_id = $1 and channel = 'push' and address_key = any ($2)",
		[userId, olderKeys],
	);
	const [row] = await tx.query<Row>(
		`insert into contact_points as c (tenant_id, user_id, channel, platform, address_key_id, address, address_key,
		   address_masked, created_at)
		 values ($1, $2, 'push', $3, $4, $5, $6, $7, $8)
		 on conflict on constraint contact_points__address_unique do update
		    set platform = excluded.platform, invalid_at = null, created_at = excluded.created_at
		 returning ${columns}`,
		[...[tenantId, userId, platform, token.sealed.keyId, token.sealed.sealed, key], ...[token.masked, now]],
	);
	if (row === undefined) throw new Error("the device was not recorded");
	await tx.query(
		`delete from contact_points where user_id = $1 and channel = 'push' and id not in (
		   select id from contact_points where user_id = $1 and channel = 'push' order by created_at desc, id desc limit $2)`,
		[userId, devicesMax],
	);
	return fromRow(row);
}

/** Removes a device of a person. Returns whether it existed. Call it inside the tenant. */
export async function removeDevice(
	tx: Database,
	{ userId, id }: { userId: string; id: string },
): Promise<boolean> {
	const rows = await tx.query(
		"delete from contact_points where id = $1 and user_id = $2 and channel = 'push' returning id",
		[id, userId],
	);
	return rows.length > 0;
}
