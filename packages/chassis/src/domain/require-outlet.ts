import { withOutletScope } from "@lango/postgres";
import { callOf } from "../request/call.ts";
import { databaseScopeOf } from "../request/outlet-scope.ts";
import type { Route } from "../request/route.ts";

/**
 * Runs a route's handler in the outlet scope of the request, which the database's policies enforce in
 * addition to the handler's own filter. If the handler of a bound route calls neither `outletsOf`,
 * `outletFor` nor `requireRight`, the request fails with 500 and the log names the route: the response
 * could contain rows of other outlets.
 */
export function bindingToOutlets(route: Route): Route {
	const { handler } = route;
	const bound: Route = {
		...route,
		handler: function (request, reply) {
			const scope = databaseScopeOf(callOf(request), route);
			if (scope === "all") return handler.call(this, request, reply);
			return withOutletScope(scope, () => handler.call(this, request, reply));
		},
	};
	if (route.outlets !== undefined) return bound;
	const asked = [route.onSend ?? []].flat();
	return {
		...bound,
		onSend: [
			...asked,
			async (request, reply, payload) => {
				const { isOutletAsked, caller } = callOf(request);
				if (caller !== undefined && isOutletAsked !== true && reply.statusCode < 300)
					throw new Error(
						`${request.method} ${request.routeOptions.url} answers without outletsOf(request), outletFor(request) or requireRight(request, …): filter by outlet, or declare it tenantWide("reason")`,
					);
				return payload;
			},
		],
	};
}
