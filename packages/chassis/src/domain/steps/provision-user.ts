import {
	type Access,
	activeStatus,
	type CachedPerson,
	findNewerRoles,
	type Person,
	type PersonClaims,
	permissionsOfPerson,
	roleOf,
} from "@lango/access";
import type { AccessTokenClaims } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { isUuid, type Tenancy } from "@lango/tenancy";
import { TokenRefused } from "@lango/tokens";
import { type Call, callOf, type UserCaller } from "../../request/call.ts";
import { chassisFailures } from "../../request/failure.ts";
import { scopeOfCaller } from "../../request/outlet-scope.ts";
import { type RouteRules, rulesOf, type Step } from "../../request/route.ts";
import { findOwnTenant } from "./find-tenant.ts";

export type ProvisionOptions = { db: Database; access: Access; tenancy: Tenancy };

/** Claims of one token are one object as long as the token is remembered. */
const told = new WeakMap<AccessTokenClaims, PersonClaims>();

/**
 * The step that makes a person known here just in time, in their own tenant and with a first role (spec §5.11); a
 * person unknown so far is never refused for it. Who waits for approval gets 403 `account_pending`, except where a
 * route admits them. Programs are no people. A superuser's token that an event overtook is 401 `token_invalid`.
 */
export function provisionUserWith({ db, access, tenancy }: ProvisionOptions): Step {
	const provision = async (call: Call, caller: UserCaller, rules: RouteRules | undefined) => {
		const claims = personClaims(caller.claims);
		const tenantId = homeOf(call, caller) ?? (await findOwnTenant(tenancy, caller.claims)).id;
		const person = caller.isIssuedHere
			? await knownPerson(access, tenantId, claims.subject)
			: await access.ensureUserFromToken(tenantId, claims);
		if (caller.isSuperuser && person.status === activeStatus)
			await requireStillSuperuser(db, tenantId, claims);
		admit(person, { call, caller, rules });
	};
	/** What was made of a caller's person at the last request, in the tenant they are at home in. */
	const lately = new WeakMap<UserCaller, Lately>();
	const admitKnown = (call: Call, caller: UserCaller): boolean => {
		const found = lately.get(caller);
		if (found === undefined || call.tenant?.id !== found.tenantId || !access.isCurrent(found.held))
			return false;
		call.person = found.held.person;
		call.user = found.user;
		call.scope = found.scope;
		return true;
	};
	return (request) => {
		const call = callOf(request);
		const { caller } = call;
		if (caller?.kind !== "user" || admitKnown(call, caller)) return undefined;
		const rules = rulesOf(request);
		const tenantId = caller.isIssuedHere || caller.isSuperuser ? undefined : homeOf(call, caller);
		const held = tenantId && access.peekUser(tenantId, personClaims(caller.claims));
		if (!held) return provision(call, caller, rules);
		admit(held.person, { call, caller, rules });
		if (call.person !== undefined && call.user !== undefined) {
			call.scope = scopeOfCaller(caller, call.person);
			lately.set(caller, { tenantId, held, user: call.user, scope: call.scope });
		}
		return undefined;
	};
}

type Lately = {
	tenantId: string;
	held: CachedPerson;
	user: NonNullable<Call["user"]>;
	scope: NonNullable<Call["scope"]>;
};

type Admission = { call: Call; caller: UserCaller; rules: RouteRules | undefined };

/** What an event or a newer token told counts, also for whoever still comes with a token of before their approval. */
function admit(person: Person, { call, caller, rules }: Admission): void {
	const { userId: id, status } = person;
	if (status === activeStatus) {
		call.person = person;
		call.user = userOf(person, caller);
		return;
	}
	if (rules?.pending !== "admitted")
		throw chassisFailures.account_pending({ fields: { user_status: status } });
	call.user = { id, serviceRole: null, permissions: [] };
}

/** What the person is and may do, at the outlet when one is at hand; by the service's own token no more than it names. */
export function userOf(person: Person, caller: UserCaller, outletId?: string): NonNullable<Call["user"]> {
	const held = permissionsOfPerson(person, outletId);
	const { permissions: named = [] } = caller.claims;
	return {
		id: person.userId,
		serviceRole: roleOf(person, outletId),
		permissions: caller.isIssuedHere ? held.filter((code) => named.includes(code)) : held,
	};
}

/** The service's own token is for somebody it knows; it makes nobody known, and tells nothing new of them. */
async function knownPerson(access: Access, tenantId: string, subject: string): Promise<Person> {
	const person = await access.findPerson(tenantId, subject);
	if (person === undefined || person.status !== activeStatus)
		throw chassisFailures.token_invalid({ cause: new TokenRefused("revoked") });
	return person;
}

/**
 * What a superuser passed so far was by the token; nothing was done yet. Where an event told since that the role is gone,
 * the token is refused, and a new one says what holds.
 */
async function requireStillSuperuser(
	db: Database,
	tenantId: string,
	{ subject, issuedAt }: PersonClaims,
): Promise<void> {
	const roles = await findNewerRoles(db, { tenantId, subject, issuedAt });
	if (roles !== undefined && !roles.includes("superuser"))
		throw chassisFailures.token_invalid({
			cause: new Error("an event told that the superuser's role is gone"),
		});
}

/** People live in their own tenant: the platform owner leaves no user in the tenants visited. Undefined where they are not at home. */
function homeOf({ tenant }: Call, { claims }: UserCaller): string | undefined {
	return tenant !== undefined && tenant.id === claims.tenant_id?.toLowerCase() ? tenant.id : undefined;
}

/** Which outlets of the person a token tells of: all, the selected one, or none. */
function outletsTold({
	outlet_scope: scope,
	outlet_ids: ids = [],
	outlet_id: selected = "",
}: AccessTokenClaims): Pick<PersonClaims, "outletIds" | "outletId"> {
	if (scope === "unselected")
		return {
			outletIds: ids
				.filter(isUuid)
				.map((id) => id.toLowerCase())
				.sort(),
		};
	const isSelected = scope === "selected" || scope === undefined;
	return isSelected && isUuid(selected) ? { outletId: selected.toLowerCase() } : {};
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
		isHq: claims.is_hq_user === true,
		...outletsTold(claims),
	};
	told.set(claims, made);
	return made;
}
