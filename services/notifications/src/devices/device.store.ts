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
 * Registers a device of a person of the tenant. It then belongs to this person only, in every tenant.
 * Registering it again makes it the newest.
 */
export async function recordDevice(db: Database, registering: Registering): Promise<Device> {
	const { tenantId, userId, platform, token, now } = registering;
	const device = {
		...{ platform, key_id: token.sealed.keyId, address: token.sealed.sealed.toString("hex") },
		...{ keys: token.keys.map((key) => key.toString("hex")), masked: token.masked },
	};
	const [row] = await db.query<Row>(`select ${columns} from register_device($1, $2, $3, $4, $5)`, [
		...[tenantId, userId, JSON.stringify(device), devicesMax, now],
	]);
	if (row === undefined) throw new Error("the device was not recorded");
	return fromRow(row);
}

/** Removes a device of a person. Returns whether it existed. Call it inside the tenant. */
export async function removeDevice(
	tx: Database,
	{ tenantId, userId, id }: { tenantId: string; userId: string; id: string },
): Promise<boolean> {
	const rows = await tx.query(
		"delete from contact_points where tenant_id = $1 and id = $2 and user_id = $3 and channel = 'push' returning id",
		[tenantId, id, userId],
	);
	return rows.length > 0;
}
