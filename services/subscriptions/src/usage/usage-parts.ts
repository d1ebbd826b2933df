import type { CountingParts } from "./counting.ts";
import { holdTerms } from "./held-terms.ts";
import { findTenantTerms } from "./tenant-terms.store.ts";

/** Makes what counting works with. */
export function createUsage({ db, clock, onTrouble }: Omit<CountingParts, "terms">): CountingParts {
	const { now, hasTestClocks } = clock;
	const terms = holdTerms({
		read: (tenantId) => findTenantTerms(db, tenantId),
		now,
		isRemembered: !hasTestClocks,
	});
	return { db, clock, terms, onTrouble };
}
