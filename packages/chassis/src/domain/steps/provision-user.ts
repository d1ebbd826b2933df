import {
	type Access,
	activeStatus,
	type Person,
	type PersonClaims,
	permissionsOfPerson,
	roleOf,
} from "@lango/access";
import type { AccessTokenClaims } from "@lango/contracts";
import type { Tenancy } from "@lango/tenancy";
import { type Call, callOf, type UserCaller } from "../../call.ts";
import { chassisFailures } from "../../failure.ts";
import { type RouteRules, rulesOf, type Step } from "../../route.ts";
import { findOwnTenant } from "./find-tenant.ts";

export type ProvisionOptions = { access: Access; tenancy: Tenancy };

/** Claims of one token are one object as long as the token is remembered. */
const told = new WeakMap<AccessTokenClaims, PersonClaims>();

/**
 * The step that makes a person known here just in time, in their own tenant and with a first role (spec §5.11); a
 * person unknown so far is never refused for it. Who waits for approval gets 403 `account_pending`, except where a
 * route admits them. Programs are no people.
 */
export function provisionUserWith({ access, tenancy }: ProvisionOptions): Step {
	const provision = async (call: Call, caller: UserCaller, rules: RouteRules | undefined) => {
		const tenantId = homeOf(call, caller) ?? (await findOwnTenant(tenancy, caller.claims)).id;
		admit(call, await access.ensureUserFromToken(tenantId, personClaims(caller.claims)), rules);
	};
	return (request) => {
		const call = callOf(request);
		const { caller } = call;
		if (caller?.kind !== "user") return;
		const tenantId = homeOf(call, caller);
		const known = tenantId && access.peekUser(tenantId, personClaims(caller.claims));
		return known ? admit(call, known, rulesOf(request)) : provision(call, caller, rulesOf(request));
	};
}

/** What an event or a newer token told counts, also for whoever still comes with a token of before their approval. */
function admit(call: Call, person: Person, rules: RouteRules | undefined): void {
	const { userId: id, status } = person;
	if (status === activeStatus) {
		call.person = person;
		call.user = { id, serviceRole: roleOf(person), permissions: permissionsOfPerson(person) };
		return;
	}
	if (rules?.pending !== "admitted")
		throw chassisFailures.account_pending({ fields: { user_status: status } });
	call.user = { id, serviceRole: null, permissions: [] };
}

/** People live in their own tenant: the platform owner leaves no user in the tenants visited. Undefined where they are not at home. */
function homeOf({ tenant }: Call, { claims }: UserCaller): string | undefined {
	return tenant !== undefined && tenant.id === claims.tenant_id?.toLowerCase() ? tenant.id : undefined;
}

function personClaims(claims: AccessTokenClaims): PersonClaims {
	const known = told.get(claims);
	if (known !== undefined) return known;
	const { sub, email = "", name = "", user_status: status = activeStatus, roles = [], iat } = claims;
	const made = {
		subject: sub.toLowerCase(),
		email,
		name,
		status,
		globalRoles: roles,
		issuedAt: new Date(iat * 1_000),
	};
	told.set(claims, made);
	return made;
}
