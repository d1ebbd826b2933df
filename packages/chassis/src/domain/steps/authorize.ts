import { mayDo } from "@lango/access";
import { permissionsOf } from "@lango/contracts";
import { type Entitlements, EntitlementsUnavailable, hasFeature, hasProduct } from "@lango/entitlements";
import { type Call, type Caller, callOf } from "../../call.ts";
import { chassisFailures } from "../../failure.ts";
import { type Access, type RouteRules, rulesOf, type Step } from "../../route.ts";
import { notePass } from "./record-passes.ts";

/**
 * The last check (spec §5.8–5.10): the route's own declaration. Service permissions are looked up in the service's own
 * tables, canonical codes in the token, both where both are named; then product, feature, outlet and use case.
 * Refuses with 403 `forbidden`, `product_unavailable`, `feature_unavailable` or `outlet_forbidden`. Superusers pass.
 */
export function authorizeWith(entitlements: Entitlements): Step {
	return async (request) => {
		const call = callOf(request);
		const rules = rulesOf(request);
		if (rules === undefined || call.caller === undefined) return;
		const holds = holdsOf(call, call.caller, rules.access);
		if (isSuperuser(call.caller)) {
			if (!holds) notePass(call, "permission");
			return;
		}
		if (!holds) throw chassisFailures.forbidden();
		requireOutlet(call, call.caller, rules);
		await requirePlan(call, rules, entitlements);
	};
}

const isSuperuser = (caller: Caller) => caller.kind === "user" && caller.isSuperuser;

function holdsOf(call: Call, caller: Caller, access: Access): boolean {
	if (access.kind === "api_key") return caller.kind === "key";
	if (access.kind !== "permit") return true;
	const { permissions, canonical } = access;
	const held = heldBy(call, caller);
	const isPermitted = permissions.length === 0 || permissions.some((code) => mayDo(held, code));
	return isPermitted && (canonical === undefined || carries(caller, canonical));
}

/** What a caller holds: a person's grants count in the person's own tenant; a client's are its scope, a key's its list. */
export function heldBy({ user, tenant }: Call, caller: Caller): readonly string[] {
	if (caller.kind === "key") return caller.permissions;
	if (caller.kind === "client") return scopeOf(caller);
	const isAtHome = tenant === undefined || tenant.id === caller.claims.tenant_id?.toLowerCase();
	return isAtHome ? (user?.permissions ?? []) : [];
}

/** Whether the caller's token or key carries a canonical code. */
export function carries(caller: Caller, code: string): boolean {
	if (caller.kind === "key") return caller.permissions.includes(code);
	if (caller.kind === "client") return scopeOf(caller).includes(code);
	const { permissions, permissions_ref, roles = [] } = caller.claims;
	// A token too large for its codes leaves them out; what roles hold of them is one table for all services.
	const held: readonly string[] = permissions ?? (permissions_ref === undefined ? [] : permissionsOf(roles));
	return held.includes(code);
}

const scopeOf = ({ claims }: Extract<Caller, { kind: "client" }>) => claims.scope?.split(" ") ?? [];

/** Whoever a token binds to an outlet stays at it; headquarters go everywhere, administrators to every use case (spec §5.10). */
function requireOutlet({ outletId }: Call, caller: Caller, { useCase }: RouteRules): void {
	if (caller.kind !== "user") return;
	const {
		outlet_id: own = "",
		outlet_use_case: works = "",
		is_hq_user: isHq = false,
		roles = [],
	} = caller.claims;
	if (isHq) return;
	if (own !== "" && outletId !== undefined && outletId !== own.toLowerCase())
		throw chassisFailures.outlet_forbidden();
	if (useCase !== undefined && !roles.includes("admin") && !useCase.includes(works))
		throw chassisFailures.forbidden();
}

async function requirePlan(
	{ caller, tenant }: Call,
	{ product, feature }: RouteRules,
	entitlements: Entitlements,
): Promise<void> {
	if ((product === undefined && feature === undefined) || tenant === undefined) return;
	const claims = caller?.kind === "user" ? caller.claims : undefined;
	const plan = await entitlements.entitlementOf({ tenantId: tenant.id, claims }).catch((error) => {
		if (error instanceof EntitlementsUnavailable)
			throw chassisFailures.entitlements_unavailable({ cause: error });
		throw error;
	});
	if (product !== undefined && !hasProduct(plan, product)) throw chassisFailures.product_unavailable();
	if (feature !== undefined && !hasFeature(plan, feature)) throw chassisFailures.feature_unavailable();
}
