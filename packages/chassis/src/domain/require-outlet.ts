import { callOf } from "../call.ts";
import type { Route } from "../route.ts";

/**
 * Has a route that says it keeps to the outlet fail when its handler neither asked for the outlet nor for rights where its effect is:
 * such an answer may be of the whole tenant, and becomes a 500 with the reason in the log. Other routes stay as they are.
 */
export function requiringOutlet(route: Route): Route {
	if (route.outlet === undefined) return route;
	const asked = [route.onSend ?? []].flat();
	return {
		...route,
		onSend: [
			...asked,
			async (request, reply, payload) => {
				const { isOutletAsked, caller } = callOf(request);
				if (caller !== undefined && isOutletAsked !== true && reply.statusCode < 300)
					throw new Error(
						`${request.method} ${request.routeOptions.url} answers without outletOf(request) or requireRight(request, …)`,
					);
				return payload;
			},
		],
	};
}
