import { type OutletScope, tokenOutletsMax } from "@lango/contracts";

/** What is known of a person in a tenant: all that a token says of them, before the subscription. */
export type Standing = {
	user: {
		id: string;
		email: string;
		emailVerified: boolean;
		name: string;
		status: string;
		primaryTenantId: string | null;
		selectedPlan: string | null;
	};
	tenant: {
		id: string;
		slug: string;
		name: string;
		status: string;
		/** Whether the tenant has any active outlet, assigned to the person or not. */
		hasOutlets: boolean;
	};
	/** Null when the person does not belong to the tenant. */
	membership: {
		roles: readonly string[];
		status: string;
		/** Not bound to an outlet: headquarters, admin or superuser. The database decides (`is_hq_user`). */
		isHqUser: boolean;
	} | null;
	/** Active outlets the person may work at; HQ people may work at all, whatever is listed. */
	outlets: ReadonlyArray<Outlet>;
};
export type Outlet = { id: string; code: string; useCase: string };

/** `active`, or what keeps the person from acting: their own status first, else that of their membership. */
export function userStatus({ user, membership }: Standing): string {
	return user.status !== "active" ? user.status : (membership?.status ?? "active");
}

/** The roles that count now: none while the person or the membership waits for approval. */
export function rolesOf(standing: Standing): readonly string[] {
	return isActive(standing) ? (standing.membership?.roles ?? []) : [];
}

/** Whether the person is bound to no outlet (spec §2.3). A person who waits for approval is not. */
export function isHqUser(standing: Standing): boolean {
	return isActive(standing) && standing.membership?.isHqUser === true;
}

/** The outlets a person may choose among: none while they wait for approval. */
export function outletsOf(standing: Standing): readonly Outlet[] {
	return isActive(standing) ? standing.outlets : [];
}

/** The outlets an exchange token is good for: none for who is bound to no outlet. */
export function exchangeableIds(standing: Standing): string[] {
	return isHqUser(standing) ? [] : outletsOf(standing).map(({ id }) => id);
}

const isActive = (standing: Standing) => userStatus(standing) === "active";

/** Where a person works: at one outlet, or they must choose among several, or at none in particular. */
export type Workplace = { outlet: Outlet | undefined; mustChoose: boolean };

/** The workplace of a person who has chosen `chosenId`, or nothing yet (spec §5.15): a single outlet needs no choosing. */
export function workplaceOf(standing: Standing, chosenId: string | null): Workplace {
	if (isHqUser(standing)) return { outlet: undefined, mustChoose: false };
	const outlets = outletsOf(standing);
	const chosen = outlets.find(({ id }) => id === chosenId) ?? (outlets.length === 1 ? outlets[0] : undefined);
	return { outlet: chosen, mustChoose: chosen === undefined && outlets.length > 1 };
}

/** The claims that limit the outlets of a token's holder. */
export type ScopeClaims = { outlet_scope: OutletScope; outlet_ids?: string[] };

/**
 * What a token says of the outlets its holder sees. In a tenant without active outlets nobody's scope is limited. A person with more
 * outlets than a token lists has an empty list until they select one.
 */
export function scopeClaimsOf(standing: Standing, outlet: Outlet | undefined): ScopeClaims {
	if (isHqUser(standing)) return { outlet_scope: "all" };
	if (outlet !== undefined) return { outlet_scope: "selected" };
	if (!standing.tenant.hasOutlets && isActive(standing)) return { outlet_scope: "all" };
	const ids = outletsOf(standing).map(({ id }) => id);
	return { outlet_scope: "unselected", outlet_ids: ids.length > tokenOutletsMax ? [] : ids };
}

/** Whether a person may sign in: neither disabled nor erased. */
export const isKnown = ({ status }: { status: string }): boolean =>
	["active", "pending", "pending_review"].includes(status);

/** Whether tokens may still be made, or still count: things may have changed since the person signed in. */
export function mayGoOn({ user, tenant, membership }: Standing): boolean {
	return tenant.status === "active" && membership !== null && isKnown(user);
}
