import type { Database } from "@lango/postgres";
import type { SealedAddress } from "../addresses/sealed-address.ts";
import { failures } from "../failures.ts";

/** The channels of further addresses; devices are for themselves. */
export const contactChannels = ["email", "sms", "whatsapp"] as const;
export type ContactChannel = (typeof contactChannels)[number];

/** A further address of a person. */
export type Contact = {
	id: string;
	channel: ContactChannel;
	masked: string;
	verifiedAt: Date | null;
	/** Since when messages cannot be delivered to it. */
	invalidAt: Date | null;
	createdAt: Date;
};

type Row = {
	id: string;
	channel: ContactChannel;
	address_masked: string;
	verified_at: Date | null;
	invalid_at: Date | null;
	created_at: Date;
};
const columns = "id, channel, address_masked, verified_at, invalid_at, created_at";
const fromRow = (row: Row): Contact => ({
	...{ id: row.id, channel: row.channel, masked: row.address_masked, createdAt: row.created_at },
	...{ verifiedAt: row.verified_at, invalidAt: row.invalid_at },
});

/** The most further addresses of a person in a tenant. */
export const contactsMax = 10;

type OfPerson = { tenantId: string; userId: string };

/** Lists a person's further addresses, the newest first. Call it inside the tenant. */
export async function listContacts(tx: Database, { tenantId, userId }: OfPerson): Promise<Contact[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from contact_points where tenant_id = $1 and user_id = $2 and channel <> 'push'
		  order by created_at desc, id desc limit $3`,
		[tenantId, userId, contactsMax],
	);
	return rows.map(fromRow);
}

/** Locks a person's address and returns it; undefined if the id is unknown. Call it inside the tenant. */
export async function lockContact(
	tx: Database,
	{ tenantId, userId, id }: OfPerson & { id: string },
): Promise<Contact | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from contact_points
		  where tenant_id = $1 and id = $2 and user_id = $3 and channel <> 'push' for update`,
		[tenantId, id, userId],
	);
	return row && fromRow(row);
}

/** Returns a person's address by its keys; undefined if it is not known. Call it inside the tenant. */
export async function findContact(
	tx: Database,
	of: OfPerson & { channel: ContactChannel; keys: readonly Buffer[] },
): Promise<Contact | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from contact_points
		  where tenant_id = $1 and user_id = $2 and channel = $3 and address_key = any ($4)`,
		[of.tenantId, of.userId, of.channel, [...of.keys]],
	);
	return row && fromRow(row);
}

type Adding = OfPerson & {
	channel: ContactChannel;
	address: SealedAddress & { masked: string };
	now: Date;
};

/**
 * Adds an address that is not verified. Lock the person before. Call it inside the tenant. Throws
 * `too_many_contact_points`.
 */
export async function addWithin(tx: Database, adding: Adding): Promise<Contact> {
	if ((await listContacts(tx, adding)).length >= contactsMax) throw failures.too_many_contact_points();
	return addContact(tx, adding);
}

async function addContact(tx: Database, adding: Adding): Promise<Contact> {
	const { tenantId, userId, channel, address, now } = adding;
	const [row] = await tx.query<Row>(
		`insert into contact_points (tenant_id, user_id, channel, address_key_id, address, address_key, address_masked,
		   created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)
		 returning ${columns}`,
		[
			...[tenantId, userId, channel, address.sealed.keyId, address.sealed.sealed, address.keys[0]],
			...[address.masked, now],
		],
	);
	if (row === undefined) throw new Error("the address was not recorded");
	return fromRow(row);
}

/** Records that an address is the person's, and can be used. Call it inside the tenant. */
export async function recordVerified(
	tx: Database,
	{ tenantId, id, now }: { tenantId: string; id: string; now: Date },
): Promise<Contact> {
	const [row] = await tx.query<Row>(
		`update contact_points set verified_at = $3, invalid_at = null where tenant_id = $1 and id = $2 returning ${columns}`,
		[tenantId, id, now],
	);
	if (row === undefined) throw new Error("the address is gone");
	return fromRow(row);
}

/** Removes an address of a person. Returns whether it existed. Call it inside the tenant. */
export async function removeContact(
	tx: Database,
	{ tenantId, userId, id }: OfPerson & { id: string },
): Promise<boolean> {
	const rows = await tx.query(
		`delete from contact_points where tenant_id = $1 and id = $2 and user_id = $3 and channel <> 'push' returning id`,
		[tenantId, id, userId],
	);
	return rows.length > 0;
}
