import {
	type Access,
	activeStatus,
	findOvertakingRoles,
	type Person,
	type PersonClaims,
	permissionsOfPerson,
	roleOf,
} from "@lango/access";
import type { AccessTokenClaims } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { Tenancy } from "@lango/tenancy";
import { TokenRefused } from "@lango/tokens";
import type { FastifyRequest } from "fastify";
import { type Call, callOf, type UserCaller } from "../../call.ts";
import { chassisFailures } from "../../failure.ts";
import { rulesOf, type Step } from "../../route.ts";
import { findOwnTenant } from "./find-tenant.ts";

export type ProvisionOptions = { db: Database; access: Access; tenancy: Tenancy };

const people = new WeakMap<FastifyRequest, Person>();
/** Claims of one token are one object as long as the token is remembered. */
const told = new WeakMap<AccessTokenClaims, PersonClaims>();

/**
 * The step that makes a person known here just in time, in their own tenant and with a first role (spec §5.11); a
 * person unknown so far is never refused for it. Who waits for approval gets 403 `account_pending`, except where a
 * route admits them. Programs are no people. A superuser's token that an event overtook is 401 `token_invalid`.
 */
export function provisionUserWith({ db, access, tenancy }: ProvisionOptions): Step {
	return async (request) => {
		const call = callOf(request);
		if (call.caller?.kind !== "user") return;
		const claims = personClaims(call.caller.claims);
		const tenantId = await homeOf(call.caller, call, tenancy);
		const person = call.caller.isIssuedHere
			? await knownPerson(access, tenantId, claims.subject)
			: await access.ensureUserFromToken(tenantId, claims);
		if (call.caller.isSuperuser && person.status === activeStatus)
			await requireStillSuperuser(db, tenantId, claims);
		people.set(request, person);
		call.user = userOf(person, call.caller);
		// What an event or a newer token told counts, also for whoever still comes with a token of before their approval.
		if (person.status !== activeStatus) admitPending(request, call, person.status);
	};
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
	const roles = await findOvertakingRoles(db, { tenantId, subject, issuedAt });
	if (roles !== undefined && !roles.includes("superuser"))
		throw chassisFailures.token_invalid({
			cause: new Error("an event told that the superuser's role is gone"),
		});
}

/** The person of a request, undefined for programs. */
export function personOf(request: FastifyRequest): Person | undefined {
	return people.get(request);
}

function admitPending(request: FastifyRequest, call: Call, status: string): void {
	if (rulesOf(request)?.pending !== "admitted")
		throw chassisFailures.account_pending({ fields: { user_status: status } });
	if (call.user !== undefined) call.user = { ...call.user, serviceRole: null, permissions: [] };
	people.delete(request);
}

/** People live in their own tenant: the platform owner leaves no user in the tenants visited. */
async function homeOf({ claims }: UserCaller, { tenant }: Call, tenancy: Tenancy): Promise<string> {
	if (tenant !== undefined && tenant.id === claims.tenant_id?.toLowerCase()) return tenant.id;
	return (await findOwnTenant(tenancy, claims)).id;
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
