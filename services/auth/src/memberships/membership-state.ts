import { type Language, type OutletScope, type Theme, tokenOutletsMax } from "@lango/contracts";

/** A user's state in a tenant: everything that their tokens contain except the subscription. */
export type MembershipState = {
	user: {
		id: string;
		email: string;
		emailVerified: boolean;
		name: string;
		status: string;
		primaryTenantId: string | null;
		selectedPlan: string | null;
		/** The language and the theme that the person chose on the pages; null before a choice. */
		locale: Language | null;
		theme: Theme | null;
	};
	tenant: {
		id: string;
		slug: string;
		name: string;
		status: string;
		/** Whether the tenant has any active outlet, assigned to the person or not. */
		hasOutlets: boolean;
	};
	/** Null if the user is not a member of the tenant. */
	membership: {
		roles: readonly string[];
		status: string;
		/** Not bound to an outlet: headquarters, admin or superuser. The database decides (`is_hq_user`). */
		isHqUser: boolean;
	} | null;
	/** The user's active outlets. Headquarters members can use all outlets, whatever is listed. */
	outlets: ReadonlyArray<Outlet>;
};
export type Outlet = { id: string; code: string; useCase: string };

/** `active`, or the status that prevents access: first the user's, then that of the membership. */
export function userStatus({ user, membership }: MembershipState): string {
	return user.status !== "active" ? user.status : (membership?.status ?? "active");
}

/** The effective roles: empty while the user or the membership is pending. */
export function rolesOf(membershipState: MembershipState): readonly string[] {
	return isActive(membershipState) ? (membershipState.membership?.roles ?? []) : [];
}

/** Whether the user is not bound to outlets (spec §2.3). False for a pending user. */
export function isHqUser(membershipState: MembershipState): boolean {
	return isActive(membershipState) && membershipState.membership?.isHqUser === true;
}

/** The outlets that a user can select: empty while they are pending. */
export function outletsOf(membershipState: MembershipState): readonly Outlet[] {
	return isActive(membershipState) ? membershipState.outlets : [];
}

/** The outlets that an exchange token can select: empty for a user who is not bound to outlets. */
export function exchangeableIds(membershipState: MembershipState): string[] {
	return isHqUser(membershipState) ? [] : outletsOf(membershipState).map(({ id }) => id);
}

const isActive = (membershipState: MembershipState) => userStatus(membershipState) === "active";

/** A user's workplace: one outlet, a choice among several, or no particular outlet. */
export type Workplace = { outlet: Outlet | undefined; mustChoose: boolean };

/**
 * The workplace of a user who selected `chosenId`, or null before a selection (spec §5.15). A single outlet
 * is selected by itself.
 */
export function workplaceOf(membershipState: MembershipState, chosenId: string | null): Workplace {
	if (isHqUser(membershipState)) return { outlet: undefined, mustChoose: false };
	const outlets = outletsOf(membershipState);
	const chosen = outlets.find(({ id }) => id === chosenId) ?? (outlets.length === 1 ? outlets[0] : undefined);
	return { outlet: chosen, mustChoose: chosen === undefined && outlets.length > 1 };
}

/** The claims that limit the outlets of a token's holder. */
export type ScopeClaims = { outlet_scope: OutletScope; outlet_ids?: string[] };

/**
 * The outlet claims of a token. In a tenant without active outlets the scope of an active member is not
 * limited. A user with more outlets than a token lists has an empty list until they select one.
 */
export function scopeClaimsOf(membershipState: MembershipState, outlet: Outlet | undefined): ScopeClaims {
	if (isHqUser(membershipState)) return { outlet_scope: "all" };
	if (outlet !== undefined) return { outlet_scope: "selected" };
	if (!membershipState.tenant.hasOutlets && isActive(membershipState)) return { outlet_scope: "all" };
	const ids = outletsOf(membershipState).map(({ id }) => id);
	return { outlet_scope: "unselected", outlet_ids: ids.length > tokenOutletsMax ? [] : ids };
}

/** Whether a user can sign in: neither disabled nor erased. */
export const isKnown = ({ status }: { status: string }): boolean =>
	["active", "pending", "pending_review"].includes(status);

/**
 * Whether tokens of the session can be issued and are valid, with the current state of user, tenant and
 * membership.
 */
export function mayHaveTokens({ user, tenant, membership }: MembershipState): boolean {
	return tenant.status === "active" && membership !== null && isKnown(user);
}
