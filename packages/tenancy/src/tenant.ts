import type { OutletIsolation } from "@lango/contracts";

/** A tenant as this service knows it. */
export type Tenant = {
	id: string;
	slug: string;
	name: string;
	/** Only `active` tenants are served. */
	status: string;
	timeZone: string;
	currency: string;
	locale: string;
	/** `open`: people who are bound to outlets read the whole tenant where they name none; their changes stay within their outlets. */
	outletIsolation: OutletIsolation;
};

/** A tenant and when the sign-on service last told of it. */
export type SyncedTenant = Tenant & { syncedAt: Date };

/** Of a tenant that an event named without telling more. */
export const unknownStatus = "unknown";

/** Of a tenant that was erased; its id is nobody else's for ever. */
export const deletedStatus = "deleted";

const slugForm = /^[a-z0-9-]{2,63}$/;
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be a tenant's slug. */
export function isSlug(text: string): boolean {
	return slugForm.test(text);
}

/** Whether a text is a UUID in its usual form, of any version. */
export function isUuid(text: string): boolean {
	return uuidForm.test(text);
}

/**
 * A token or an event names a slug and an id, and the sign-on service does not confirm that the two belong together. Nothing
 * is changed and nobody is let in by it: mixing two tenants up would show one the data of another.
 */
export class TenantDrifted extends Error {
	readonly slug: string;
	readonly localId: string;
	readonly issuedId: string;

	constructor({ slug, localId, issuedId }: { slug: string; localId: string; issuedId: string }) {
		super(`the tenant "${slug}" is ${localId} here and ${issuedId} at the sign-on service`);
		this.name = "TenantDrifted";
		this.slug = slug;
		this.localId = localId;
		this.issuedId = issuedId;
	}
}

/** The tenant is not known here and the sign-on service cannot be asked; trying again later may help. */
export class TenantUnavailable extends Error {
	constructor(slug: string, cause: unknown) {
		super(`the sign-on service cannot be asked about the tenant "${slug}"`, { cause });
		this.name = "TenantUnavailable";
	}
}
