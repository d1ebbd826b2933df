import { failures } from "../failures.ts";
import type { Memory } from "../memory/memory.ts";
import type { FoundSubscription } from "../subscriptions/subscription.store.ts";
import { type TenantTerms, termsOf } from "./tenant-terms.ts";

/** Terms of tenants, kept in memory. Every count checks that they are still those of the record's version. */
export type HeldTerms = {
	/** The terms as known, or read now. Throws `no_subscription`. */
	get(tenantId: string): Promise<TenantTerms>;
	/** The terms as they are stored now. Throws `no_subscription`. */
	read(tenantId: string): Promise<TenantTerms>;
	/** Forgets a tenant's terms: they have changed. */
	forget(tenantId: string): void;
};

/** Remembers the terms of the tenants that were asked for last; many requests at once read one time. */
export function holdTerms(
	memory: Memory<TenantTerms>,
	find: (tenantId: string) => Promise<FoundSubscription | undefined>,
): HeldTerms {
	const read = async (tenantId: string) => {
		const record = await find(tenantId);
		if (record === undefined) throw failures.no_subscription();
		return termsOf(record);
	};
	return {
		get: (tenantId) => memory.find(tenantId, async () => ({ value: await read(tenantId) })),
		read,
		forget: (tenantId) => memory.forget(tenantId),
	};
}
