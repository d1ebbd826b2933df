import type { OutletIsolation } from "@lango/contracts";

/** A tenant in this service's database. */
export type Tenant = {
	id: string;
	slug: string;
	name: string;
	/** Only `active` tenants are served. */
	status: string;
	timeZone: string;
	currency: string;
	locale: string;
	/**
	 * `open`: people who are limited to outlets can read the whole tenant if they select no outlet. Their
	 * changes stay within their outlets.
	 */
	outletIsolation: OutletIsolation;
};

/** A tenant with the time of its last response or event from the sign-on service. */
export type SyncedTenant = Tenant & { syncedAt: Date };

/** The status of a tenant of which only the id is known. */
export const unknownStatus = "unknown";

/** The status of a deleted tenant. Its id is never reused. */
export const deletedStatus = "deleted";

const slugForm = /^[a-z0-9-]{2,63}$/;

/** Whether a text has the form of a slug. */
export function isSlug(text: string): boolean {
	return slugForm.test(text);
}

/**
 * A token or an event has a slug and an id that the sign-on service does not confirm as one tenant. Access is
 * refused and nothing is changed: confusing two tenants would disclose the data of one to the other.
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

/** The tenant is not in this database and the sign-on service is unavailable. A retry may succeed. */
export class TenantUnavailable extends Error {
	constructor(slug: string, cause: unknown) {
		super(`the sign-on service is unavailable, looking up the tenant "${slug}"`, { cause });
		this.name = "TenantUnavailable";
	}
}
