import type { Database } from "@lango/postgres";
import type { SealedAddress } from "../addresses/sealed-address.ts";

/** A person of a tenant as the sign-on service's events state it. */
export type Person = {
	tenantId: string;
	id: string;
	name: string;
	/** Undefined if the address cannot be used for mail. */
	email: (SealedAddress & { masked: string }) | undefined;
	isEmailVerified: boolean;
	roles: readonly string[];
	status: string;
	/** The language of the account. */
	locale?: string | null | undefined;
	/** Of a state event; 0: an event without a version, which changes nothing that is known. */
	version: number;
	now: Date;
};

/**
 * Records a person, unless a newer version is known, the person was erased, or the tenant is deleted. Call it
 * inside the tenant.
 */
export async function recordPerson(tx: Database, person: Person): Promise<void> {
	const { tenantId, id, name, email, isEmailVerified, roles, status, locale, version, now } = person;
	await tx.query(
		`insert into recipients as r (tenant_id, id, name, email_key_id, email, email_address_key, email_masked, email_verified,
		   roles, status, version, created_at, updated_at, account_locale)
		 select t.id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13 from tenants t
		  where t.id = $1 and t.deleted_at is null and not exists (select from erased_people e where e.id = $2)
		 on conflict on constraint recipients__pkey do update
		    set name = excluded.name, email_key_id = excluded.email_key_id, email = excluded.email,
		        email_address_key = excluded.email_address_key, email_masked = excluded.email_masked,
		        email_verified = excluded.email_verified, roles = excluded.roles, status = excluded.status,
		        account_locale = excluded.account_locale,
		        version = excluded.version, updated_at = excluded.updated_at
		  where r.version < excluded.version`,
		[
			...[tenantId, id, name, email?.sealed.keyId ?? null, email?.sealed.sealed ?? null],
			...[email?.keys[0] ?? null, email?.masked ?? null, isEmailVerified, [...roles], status, version, now],
			locale ?? null,
		],
	);
}

/** Closes a person in every tenant, unless a newer version is known. */
export async function closePerson(
	db: Database,
	{ id, version, now }: { id: string; version: number; now: Date },
): Promise<void> {
	await db.query("select close_person($1, $2, $3)", [id, version, now]);
}

/** Records the logo and the colour of a tenant, unless newer ones are known. Call it inside the tenant. */
export async function recordBranding(
	tx: Database,
	branding: { tenantId: string; logoUrl: string | null; colour: string | null; version: number },
): Promise<void> {
	const { tenantId, logoUrl, colour, version } = branding;
	await tx.query(
		`insert into tenant_branding as b (tenant_id, logo_url, colour, version)
		 select t.id, $2, $3, $4 from tenants t where t.id = $1 and t.deleted_at is null
		 on conflict on constraint tenant_branding__pkey do update
		    set logo_url = excluded.logo_url, colour = excluded.colour, version = excluded.version
		  where b.version < excluded.version`,
		[tenantId, logoUrl, colour, version],
	);
}
