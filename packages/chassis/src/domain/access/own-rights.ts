import { mayDo, type OwnRights, permissionsOfPerson } from "@lango/access";
import type { FastifyRequest } from "fastify";
import { callerOf, callOf } from "../../request/call.ts";
import { chassisFailures } from "../../request/failure.ts";
import { carries, heldBy } from "../steps/authorize.ts";

/** Where rights are to count, and for how long: `until` left out is now, null is for good. */
export type RightsScope = { outletId?: string | undefined; until?: Date | null };

/**
 * What the caller may do in the whole tenant, and at one outlet when it is named; never what they may do at the outlet of the
 * request's header, so that nobody who administers one outlet gives rights in all. With `until`, only what they will hold that
 * long. Superusers may do everything.
 */
export function rightsOf(request: FastifyRequest, scope: RightsScope = {}): OwnRights {
	callOf(request).isOutletAsked = true;
	const caller = callerOf(request);
	if (caller.kind === "user" && caller.isSuperuser) return () => true;
	if (caller.kind === "key" && !lasts(caller.expiresAt ?? null, scope)) return () => false;
	const held = heldThere(request, scope);
	return (code) => (code.includes(":") ? carries(caller, code) : mayDo(held, code));
}

/** The rights of somebody who may do this where it has its effect. Throws 403 `forbidden` for everybody else. */
export function requireRight(request: FastifyRequest, permission: string, outletId?: string): OwnRights {
	const may = rightsOf(request, { outletId });
	if (!may(permission)) throw chassisFailures.forbidden();
	return may;
}

function heldThere(request: FastifyRequest, scope: RightsScope): readonly string[] {
	const call = callOf(request);
	const { person } = callOf(request);
	if (person === undefined || call.user === undefined) return heldBy(call, callerOf(request));
	const grants = person.grants.filter(({ expiresAt }) => lasts(expiresAt, scope));
	const permissions = permissionsOfPerson({ ...person, grants }, scope.outletId);
	return heldBy({ ...call, user: { ...call.user, permissions } }, callerOf(request));
}

function lasts(end: Date | null, { until }: RightsScope): boolean {
	if (end === null || until === undefined) return true;
	return until !== null && end.getTime() >= until.getTime();
}
