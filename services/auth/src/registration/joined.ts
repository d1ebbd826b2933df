import type { Joined } from "@lango/contracts";
import type { Tenant } from "../tenants/tenant.store.ts";
import type { Person } from "../users/person.store.ts";
import type { Entered } from "./enter-tenant.ts";

/** The response for a registered user who joined another tenant. */
export function joinedOf(user: Person, { tenant, entered }: { tenant: Tenant; entered: Entered }): Joined {
	return {
		user: {
			id: user.id,
			email: user.email,
			email_verified: user.emailVerified,
			name: user.name,
			roles: [...entered.roles],
			profile: { selected_plan: user.selectedPlan },
		},
		tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
		status: entered.status,
	};
}
