import type { Language, Theme } from "@lango/contracts";
import type { MembershipState } from "./membership-state.ts";

/** The result of the SQL function `membership_state_of`. */
export type MembershipStateRow = {
	user: {
		id: string;
		email: string;
		email_verified: boolean;
		name: string;
		status: string;
		primary_tenant_id: string | null;
		selected_plan: string | null;
		locale: Language | null;
		theme: Theme | null;
	};
	tenant: { id: string; slug: string; name: string; status: string; has_outlets: boolean };
	membership: { roles: string[]; status: string; is_hq_user: boolean } | null;
	outlets: Array<{ id: string; code: string; use_case: string }>;
};

export function fromRow({ user, tenant, membership, outlets }: MembershipStateRow): MembershipState {
	const {
		email_verified: emailVerified,
		primary_tenant_id: primaryTenantId,
		selected_plan: selectedPlan,
		...person
	} = user;
	const { has_outlets: hasOutlets, ...named } = tenant;
	return {
		user: { ...person, emailVerified, primaryTenantId, selectedPlan },
		tenant: { ...named, hasOutlets },
		membership: membership && {
			roles: membership.roles,
			status: membership.status,
			isHqUser: membership.is_hq_user,
		},
		outlets: outlets.map(({ use_case: useCase, ...outlet }) => ({ ...outlet, useCase })),
	};
}
