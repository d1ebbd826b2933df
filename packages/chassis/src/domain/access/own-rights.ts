import { mayDo, type OwnRights, permissionsOfPerson } from "@lango/access";
import type { FastifyRequest } from "fastify";
import { callerOf, callOf } from "../../request/call.ts";
import { chassisFailures } from "../../request/failure.ts";
import { carries, permissionsOfCaller } from "../steps/authorize.ts";

/** The outlet and the duration of the rights. `until` undefined: now; null: without an end. */
export type RightsScope = { outletId?: string | undefined; until?: Date | null };

/**
 * The rights of the caller in the whole tenant and, if `outletId` is given, at that outlet. Rights at the
 * outlet of the request's header do not count, so that an administrator of one outlet cannot grant rights
 * in all outlets. With `until`, only rights that last that long. Superusers may do everything.
 */
export function rightsOf(request: FastifyRequest, scope: RightsScope = {}): OwnRights {
	callOf(request).isOutletAsked = true;
	const caller = callerOf(request);
	if (caller.kind === "user" && caller.isSuperuser) return () => true;
	if (caller.kind === "key" && !lasts(caller.expiresAt ?? null, scope)) return () => false;
	const held = permissionsIn(request, scope);
	return (code) => (code.includes(":") ? carries(caller, code) : mayDo(held, code));
}

/**
 * Requires a permission where the action has its effect, and returns the caller's rights there. Throws 403
 * `forbidden`.
 */
export function requireRight(request: FastifyRequest, permission: string, outletId?: string): OwnRights {
	const may = rightsOf(request, { outletId });
	if (!may(permission)) throw chassisFailures.forbidden();
	return may;
}

function permissionsIn(request: FastifyRequest, scope: RightsScope): readonly string[] {
	const call = callOf(request);
	const { person } = callOf(request);
	if (person === undefined || call.user === undefined) return permissionsOfCaller(call, callerOf(request));
	const grants = person.grants.filter(({ expiresAt }) => lasts(expiresAt, scope));
	const permissions = permissionsOfPerson({ ...person, grants }, scope.outletId);
	return permissionsOfCaller({ ...call, user: { ...call.user, permissions } }, callerOf(request));
}

function lasts(end: Date | null, { until }: RightsScope): boolean {
	if (end === null || until === undefined) return true;
	return until !== null && end.getTime() >= until.getTime();
}
