import { callOf } from "../request/call.ts";
import { admittingPermissions, type Route } from "../request/route.ts";

/**
 * Fails a request with 500 if the route admits an `_own` permission and its handler does not call
 * `ownerOf`: the response could contain rows of other people. The log names the route. Other routes are not
 * changed.
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
