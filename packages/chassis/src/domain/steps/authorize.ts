import { mayDo } from "@lango/access";
import { permissionsOf } from "@lango/contracts";
import {
	type Entitlement,
	type Entitlements,
	EntitlementsUnavailable,
	hasFeature,
	hasProduct,
	limitOf as limitIn,
	unlimited,
} from "@lango/entitlements";
import type { FastifyRequest } from "fastify";
import { type Call, type Caller, callOf } from "../../request/call.ts";
import { chassisFailures, type Failure } from "../../request/failure.ts";
import { keyRequired } from "../../request/name-credential.ts";
import { isCustomerOf } from "../../request/outlet-scope.ts";
import { admittingPermissions, isRead, type RouteRules, rulesOf, type Step } from "../../request/route.ts";
import { notePass } from "./record-passes.ts";
import { settleOutlets } from "./settle-outlets.ts";

/**
 * The last check (spec §5.8–5.10): the route's own declaration. Service permissions are looked up in the
 * service's own tables, canonical codes in the token, both where both are named; then outlet and use case,
 * then product, feature and limit. Refuses with 403 `forbidden`, `outlet_forbidden`, `product_unavailable`,
 * `feature_unavailable` or `limit_reached`. Superusers pass, and each pass is noted.
 */
export function authorizeWith(entitlements: Entitlements): Step {
	return (request) => {
		const call = callOf(request);
		const rules = rulesOf(request);
		const { caller } = call;
		if (rules === undefined || caller === undefined) return;
		if (isSuperuser(caller)) return passAll(call, caller, rules);
		if (!holdsOf(call, caller, rules)) throw refusalOf(rules);
		settleOutlets(request, { call, rules, held: () => permissionsOfCaller(call, caller) });
		if (!worksThere(caller, rules)) throw chassisFailures.forbidden();
		return requirePlan(request, rules, entitlements);
	};
}

const refusalOf = ({ access }: RouteRules): Failure =>
	access.kind === "api_key" ? keyRequired(access.purpose) : chassisFailures.forbidden();

const isSuperuser = (caller: Caller) => caller.kind === "user" && caller.isSuperuser;

/** Superusers do not need the plan, so its requirements count as passed. */
function passAll(call: Call, caller: Caller, rules: RouteRules): void {
	if (!holdsOf(call, caller, rules)) notePass(call, "permission");
	delete call.owner;
	if (!worksThere(caller, rules)) notePass(call, "outlet");
	const { product, feature, limit } = rules;
	if (product !== undefined || feature !== undefined || limit !== undefined) notePass(call, "subscription");
	if (limit !== undefined) call.limit = unlimited;
}

/**
 * Whether the caller holds what the route requires. A caller with only the `_own` permission becomes the
 * owner of the call.
 */
function holdsOf(call: Call, caller: Caller, rules: RouteRules): boolean {
	const { access } = rules;
	if (access.kind === "api_key") return caller.kind === "key" && caller.permissions.includes(access.purpose);
	if (access.kind !== "permit") return true;
	const { canonical } = access;
	if (canonical !== undefined && !carries(caller, canonical)) return false;
	if (access.permissions.length === 0) return true;
	const held = permissionsOfCaller(call, caller);
	if (access.permissions.some((code) => mayDo(held, code.replace(/_own$/, "")))) return true;
	if (
		!admittingPermissions(rules).some((code) => mayDo(held, code)) ||
		caller.kind !== "user" ||
		call.user === undefined
	)
		return false;
	call.owner = { id: call.user.id, userId: caller.userId.toLowerCase() };
	return true;
}

/**
 * The permissions of a caller: a person's grants count in the person's own tenant; a client has its scope,
 * a key its list.
 */
export function permissionsOfCaller({ user, tenant }: Call, caller: Caller): readonly string[] {
	if (caller.kind === "key") return caller.permissions;
	if (caller.kind === "client") return scopeOf(caller);
	const isAtHome = tenant === undefined || tenant.id === caller.claims.tenant_id?.toLowerCase();
	return isAtHome ? (user?.permissions ?? []) : [];
}

/**
 * Whether the caller is a customer of the route (`isCustomerOf`): a person of the tenant who may only add,
 * and manage their own rows. Staff, superusers and programs are not customers.
 */
export function isCustomer(request: FastifyRequest): boolean {
	const rules = rulesOf(request);
	return rules !== undefined && isCustomerCall(callOf(request), rules);
}

function isCustomerCall(call: Call, rules: RouteRules): boolean {
	const { caller } = call;
	if (caller?.kind !== "user" || caller.isIssuedHere === true || caller.isSuperuser) return false;
	return isCustomerOf(permissionsOfCaller(call, caller), rules);
}

/** Whether the caller's token or key has a canonical code. */
export function carries(caller: Caller, code: string): boolean {
	if (caller.kind === "key") return caller.permissions.includes(code);
	if (caller.kind === "client") return scopeOf(caller).includes(code);
	const { permissions, permissions_ref, roles = [] } = caller.claims;
	// A token omits codes that do not fit; the permissions of roles are one table for all services.
	const held: readonly string[] = permissions ?? (permissions_ref === undefined ? [] : permissionsOf(roles));
	return held.includes(code);
}

const scopeOf = ({ claims }: Extract<Caller, { kind: "client" }>) => claims.scope?.split(" ") ?? [];

/**
 * Whether the route is for the use case of the person's outlet. The sign-on service states in `is_hq_user`
 * who is not bound to one (spec §5.10).
 */
function worksThere(caller: Caller, { useCase }: RouteRules): boolean {
	if (caller.kind !== "user" || useCase === undefined) return true;
	const { outlet_use_case: works = "", is_hq_user: isHq = false } = caller.claims;
	return isHq || useCase.includes(works);
}

function requirePlan(
	request: FastifyRequest,
	rules: RouteRules,
	entitlements: Entitlements,
): Promise<void> | void {
	const { product, feature, customerFeature, limit } = rules;
	if ((product ?? feature ?? customerFeature ?? limit) === undefined) return undefined;
	const require = isRead(request.method) ? requirePlanOfRead : requirePlanOfMutation;
	return require(callOf(request), rules, entitlements);
}

/** Mutations: by the current entitlement; refused with 503 if it is unavailable. */
async function requirePlanOfMutation(
	call: Call,
	rules: RouteRules,
	entitlements: Entitlements,
): Promise<void> {
	const { tenant } = call;
	if (tenant === undefined) return;
	const plan = await entitlements
		.entitlementOf({ tenantId: tenant.id, claims: claimsOf(call) })
		.catch((error) => {
			if (error instanceof EntitlementsUnavailable)
				throw chassisFailures.entitlements_unavailable({ cause: error });
			throw error;
		});
	judgePlan(call, rules, plan);
}

/** Reads: by the cached entitlement, without waiting; they pass if none is cached. */
function requirePlanOfRead(call: Call, rules: RouteRules, entitlements: Entitlements): void {
	const { tenant } = call;
	if (tenant === undefined) return;
	const plan = entitlements.lastKnown({ tenantId: tenant.id, claims: claimsOf(call) });
	if (plan !== undefined) judgePlan(call, rules, plan);
	else if (rules.limit !== undefined) call.limit = unlimited;
}

const claimsOf = ({ caller }: Call) => (caller?.kind === "user" ? caller.claims : undefined);

function judgePlan(call: Call, rules: RouteRules, plan: Entitlement | null): void {
	const { product, feature, customerFeature, limit } = rules;
	if (product !== undefined && !hasProduct(plan, product)) throw chassisFailures.product_unavailable();
	if (feature !== undefined && !hasFeature(plan, feature)) throw chassisFailures.feature_unavailable();
	if (customerFeature !== undefined && isCustomerCall(call, rules) && !hasFeature(plan, customerFeature))
		throw chassisFailures.feature_unavailable({ fields: { feature: customerFeature } });
	if (limit === undefined) return;
	call.limit = limitIn(plan, limit);
	if (call.limit === 0) throw limitReached(limit, 0);
}

/**
 * The failure for a limit that is reached or not in the plan (0). Names the limit (spec §7); `fields` adds
 * members to the response. Thrown by the gate, and by the service that counts.
 */
export function limitReached(
	limit: string,
	limitValue: number | null,
	fields: Record<string, unknown> = {},
): Failure {
	const message =
		limitValue === 0
			? `The current plan does not include ${limit}.`
			: `The limit ${limit} of the current plan is reached.`;
	return chassisFailures.limit_reached({ message, fields: { limit, limit_value: limitValue, ...fields } });
}
