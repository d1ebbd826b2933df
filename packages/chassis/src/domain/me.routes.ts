import Type from "typebox";
import { type Call, callerOf, callOf, type UserCaller } from "../request/call.ts";
import { chassisFailures } from "../request/failure.ts";
import { type Route, route, signedIn } from "../request/route.ts";
import type { Domain } from "./assembly/domain.ts";
import { userOf } from "./steps/provision-user.ts";

/** `auth/me` of a service (spec §2.8, first form), with the service's name for the role. */
const meWith = (roleField: string) =>
	Type.Object({
		user_id: Type.String({ format: "uuid", description: "The person's id at the sign-on service" }),
		email: Type.String(),
		name: Type.String(),
		global_roles: Type.Array(Type.String()),
		[roleField]: Type.Union([Type.String(), Type.Null()], {
			description: "Null while the person waits for approval",
		}),
		permissions: Type.Array(Type.String(), {
			description: "What the person may do in this service, from its own tables",
		}),
	});

/**
 * The caller's identity, role and permissions in this service. A person who waits for approval has no role
 * and no permissions.
 */
export const meRoutes =
	(roleField: string, url = "/auth/me") =>
	({ policy }: Pick<Domain, "policy">): readonly Route[] => [
		route({
			method: "GET",
			url,
			access: signedIn(),
			pending: "admitted",
			schema: {
				summary: "Who the caller is in this service, and what they may do; with X-Outlet-ID, at that outlet",
				response: { 200: meWith(roleField) },
			},
			handler: async (request) => {
				const caller = callerOf(request);
				const { user: known } = callOf(request);
				if (caller.kind !== "user" || known === undefined)
					throw chassisFailures.forbidden({
						fields: { reason: "a person is asked for, and this credential is a program's" },
					});
				const user = atOutlet(callOf(request), caller) ?? known;
				const { email = "", name = "", roles = [] } = caller.claims;
				const passesAll = caller.isSuperuser && user.serviceRole !== null;
				return {
					user_id: caller.userId,
					email,
					name,
					global_roles: roles,
					[roleField]: user.serviceRole,
					permissions: passesAll ? policy.permissions.map(({ code }) => code) : [...user.permissions],
				};
			},
		}),
	];

/**
 * The person at the outlet of X-Outlet-ID or, with a till's token, of the till; undefined without an outlet.
 */
function atOutlet({ person, outletId: named }: Call, caller: UserCaller): Call["user"] {
	const outletId = named ?? (caller.isIssuedHere ? caller.claims.outlet_id : undefined);
	return person && outletId !== undefined ? userOf(person, caller, outletId) : undefined;
}
