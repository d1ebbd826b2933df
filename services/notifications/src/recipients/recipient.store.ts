import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** An address of a person on a channel; without `sealed` it is the person's inbox. */
export type KnownAddress = { userId: string; locale: string | undefined; sealed: Sealed | undefined };

/**
 * Lists the addresses on a channel of people who can sign in: the e-mail address of the sign-in, whether it
 * is verified or not, further addresses that are verified, every device, and the inbox. Call it inside the
 * tenant.
 */
export async function listAddressesOf(
	tx: Database,
	{ channel, ids }: { channel: Channel; ids: readonly string[] },
): Promise<KnownAddress[]> {
	const rows = await tx.query<{
		id: string;
		locale: string | null;
		key_id: string | null;
		address: Buffer | null;
	}>(
		`select r.id, coalesce(r.locale, r.account_locale) as locale, null as key_id, null as address from recipients r
		  where $1 = 'in_app' and r.id = any ($2) and r.status = 'active'
		 union all
		 select r.id, coalesce(r.locale, r.account_locale), r.email_key_id, r.email from recipients r
		  where $1 = 'email' and r.id = any ($2) and r.status = 'active' and r.email is not null
		 union all
		 select r.id, coalesce(r.locale, r.account_locale), c.address_key_id, c.address
		   from recipients r join contact_points c on c.tenant_id = r.tenant_id and c.user_id = r.id
		  where c.channel = $1 and r.id = any ($2) and r.status = 'active' and c.invalid_at is null
		    and (c.verified_at is not null or $1 = 'push')`,
		[channel, [...ids]],
	);
	return rows.map(({ id, locale, key_id, address }) => ({
		userId: id,
		locale: locale ?? undefined,
		sealed: key_id === null || address === null ? undefined : { keyId: key_id, sealed: address },
	}));
}

/**
 * Whether a person has proved an address on a channel; a device and the inbox need no proof. Call it inside
 * the tenant.
 */
export async function hasVerifiedAddress(
	tx: Database,
	{ channel, id }: { channel: Channel; id: string },
): Promise<boolean> {
	const [known] = await listAddressesOf(tx, { channel, ids: [id] });
	if (known === undefined || channel !== "email") return known !== undefined;
	const [row] = await tx.query<{ email_verified: boolean }>(
		"select email_verified from recipients where id = $1",
		[id],
	);
	return row?.email_verified ?? false;
}

/** Returns what is known of a person in the tenant; undefined if nothing is. Call it inside the tenant. */
export async function findMembership(
	tx: Database,
	id: string,
): Promise<{ status: string; version: number } | undefined> {
	const [row] = await tx.query<{ status: string; version: bigint }>(
		"select status, version from recipients where id = $1",
		[id],
	);
	return row && { status: row.status, version: Number(row.version) };
}

/** Lists active people with one of these roles, in the order of their ids. Call it inside the tenant. */
export async function listPeopleWithRole(
	tx: Database,
	{ roles, limit }: { roles: readonly string[]; limit: number },
): Promise<Array<{ id: string; name: string }>> {
	return tx.query<{ id: string; name: string }>(
		"select id, name from recipients where roles && $1 and status = 'active' order by id limit $2",
		[[...roles], limit],
	);
}

/**
 * Returns the name of an active person, locked if `lock`; undefined for others. Call it inside the tenant.
 */
export async function findActivePerson(
	tx: Database,
	{ tenantId, id, lock = false }: { tenantId: string; id: string; lock?: boolean },
): Promise<{ id: string; name: string } | undefined> {
	const [row] = await tx.query<{ id: string; name: string }>(
		`select id, name from recipients where tenant_id = $1 and id = $2 and status = 'active' ${lock ? "for update" : ""}`,
		[tenantId, id],
	);
	return row;
}
