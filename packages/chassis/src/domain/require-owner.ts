import { callOf } from "../request/call.ts";
import { admittingPermissions, type Route } from "../request/route.ts";

/**
 * Has a route that people with an `_own` permission may call fail when its handler did not ask whose things to show: such an answer
 * may hold somebody else's, and becomes a 500 with the reason in the log. Other routes stay as they are.
 */
export function requiringOwner(route: Route): Route {
	if (!admittingPermissions(route).some((code) => code.endsWith("_own"))) return route;
	const asked = [route.onSend ?? []].flat();
	return {
		...route,
		onSend: [
			...asked,
			async (request, reply, payload) => {
				const { isOwnerAsked, caller } = callOf(request);
				if (caller !== undefined && isOwnerAsked !== true && reply.statusCode < 300)
					throw new Error(`${request.method} ${request.routeOptions.url} answers without ownerOf(request)`);
				return payload;
			},
		],
	};
}
