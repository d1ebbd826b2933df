import { failures } from "../failures.ts";
import type { TenantTerms } from "./tenant-terms.store.ts";

/** Terms of tenants, kept in memory. Every count checks that they are still those of the record's version. */
export type HeldTerms = {
	/** The terms as known, or read now. Throws `no_subscription`. */
	get(tenantId: string): Promise<TenantTerms>;
	/** Forgets a tenant's terms: they have changed. */
	forget(tenantId: string): void;
};

export type HeldTermsOptions = {
	read: (tenantId: string) => Promise<TenantTerms | undefined>;
	now: () => Date;
	/** False where tenants have clocks of their own, which no version tells of: then terms are read each time. */
	isRemembered: boolean;
	/** Tenants remembered, at most. */
	tenantsMax?: number;
};

/** What no version tells of, a tenant's time zone, is believed for so long. */
const believedMs = 60_000;

/** Remembers the terms of the tenants that were asked for last; many requests at once read one time. */
export function holdTerms({ read, now, isRemembered, tenantsMax = 20_000 }: HeldTermsOptions): HeldTerms {
	const held = new Map<string, { terms: TenantTerms; readAt: number }>();
	const reading = new Map<string, Promise<TenantTerms | undefined>>();

	const readOnce = (tenantId: string) => {
		const underWay = reading.get(tenantId);
		if (underWay !== undefined) return underWay;
		const begun = read(tenantId).finally(() => {
			if (reading.get(tenantId) === begun) reading.delete(tenantId);
		});
		reading.set(tenantId, begun);
		return begun;
	};
	return {
		async get(tenantId) {
			const known = held.get(tenantId);
			if (known !== undefined && now().getTime() - known.readAt < believedMs) return known.terms;
			const readAt = now().getTime();
			const terms = await readOnce(tenantId);
			if (terms === undefined) throw failures.no_subscription();
			if (!isRemembered) return terms;
			held.delete(tenantId);
			held.set(tenantId, { terms, readAt });
			const oldest = held.size > tenantsMax ? held.keys().next().value : undefined;
			if (oldest !== undefined) held.delete(oldest);
			return terms;
		},
		forget(tenantId) {
			held.delete(tenantId);
			reading.delete(tenantId);
		},
	};
}
