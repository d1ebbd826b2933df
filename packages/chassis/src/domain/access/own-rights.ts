import { mayDo, type OwnRights, permissionsOfPerson } from "@lango/access";
import type { FastifyRequest } from "fastify";
import { callerOf, callOf } from "../../call.ts";
import { chassisFailures } from "../../failure.ts";
import { carries, heldBy } from "../steps/authorize.ts";
import { personOf } from "../steps/provision-user.ts";

/**
 * What the caller may do in the whole tenant, and at one outlet when it is named; never what they may do at the outlet of the
 * request's header, so that nobody who administers one outlet gives rights in all. Superusers may do everything.
 */
export function rightsOf(request: FastifyRequest, outletId?: string): OwnRights {
	const caller = callerOf(request);
	if (caller.kind === "user" && caller.isSuperuser) return () => true;
	const held = heldThere(request, outletId);
	return (code) => (code.includes(":") ? carries(caller, code) : mayDo(held, code));
}

function heldThere(request: FastifyRequest, outletId: string | undefined): readonly string[] {
	const call = callOf(request);
	const person = personOf(request);
	if (person === undefined) return heldBy(call, callerOf(request));
	const user = call.user && { ...call.user, permissions: permissionsOfPerson(person, outletId) };
	return heldBy({ ...call, ...(user !== undefined && { user }) }, callerOf(request));
}

/** The rights of somebody who may do this where it has its effect. Throws 403 `forbidden` for everybody else. */
export function requireRight(request: FastifyRequest, permission: string, outletId?: string): OwnRights {
	const may = rightsOf(request, outletId);
	if (!may(permission)) throw chassisFailures.forbidden();
	return may;
}
