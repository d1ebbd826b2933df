import { randomUUID } from "node:crypto";
import type { AccessTokenClaims } from "@lango/contracts";

/** The claims of a tenant administrator's token, which has about 1.3 KB with its signature. */
export function claimsOf({
	sub,
	tenant,
}: {
	sub: string;
	tenant: { id: string; slug: string };
}): Partial<AccessTokenClaims> {
	return {
		sub,
		jti: randomUUID(),
		sid: randomUUID(),
		email: `${sub.slice(0, 8)}@${tenant.slug}.example`,
		name: "Wanjiru Kamau",
		tenant_id: tenant.id,
		tenant_slug: tenant.slug,
		roles: ["admin"],
		scope: "openid profile email lango.api",
		products: ["pos", "inventory"],
		sub_plan: "PROFESSIONAL",
		sub_status: "ACTIVE",
		sub_features: ["multi_outlet", "loyalty_program"],
		sub_limits: { max_orders_per_day: 500, max_admins: 3 },
	};
}
