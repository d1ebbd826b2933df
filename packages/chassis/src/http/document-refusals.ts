import { FailureBody } from "@lango/contracts";
import type { FastifySchema } from "fastify";
import Type from "typebox";
import type { RouteRules } from "../request/route.ts";

/** A route as described in the OpenAPI document. */
export type Documented = { url: string; schema: FastifySchema; rules: RouteRules };

/** The error format of RFC 6749 §5.2, for routes that use it. */
const OAuthFailureBody = Type.Object(
	{ error: Type.String(), error_description: Type.String(), request_id: Type.String() },
	{ additionalProperties: true },
);

/** The meaning of each error status, and the routes that can return it, derived from their declaration. */
const refusals: ReadonlyArray<
	readonly [status: number, because: string, when: (route: Documented) => boolean]
> = [
	[400, "The request is invalid; `field` names the invalid member", takesInput],
	[401, "The credential is missing, invalid or expired", ({ rules }) => isGuarded(rules)],
	[403, "The caller is not permitted to do this", ({ rules }) => isGuarded(rules)],
	[404, "Not found in this tenant", ({ url }) => url.includes("/:")],
	[503, "A dependency is unavailable; retry after the time in Retry-After", () => true],
];

const tooMany = [429, "Too many requests; retry after the time in Retry-After"] as const;

/**
 * The schema of a route with all error responses that its declaration makes possible, for the OpenAPI
 * document only. Responses that the route declares itself are not changed.
 */
export function withRefusals(
	route: Documented,
	{ isRateLimited }: { isRateLimited: boolean },
): FastifySchema {
	const body = route.rules.failures === "oauth" ? OAuthFailureBody : FailureBody;
	const possible = refusals
		.filter(([, , when]) => when(route))
		.map(([status, because]) => [status, because] as const);
	const added = (isRateLimited ? [...possible, tooMany] : possible).map(
		([status, description]) => [status, { ...body, description }] as const,
	);
	const own = (route.schema.response ?? {}) as Record<string, unknown>;
	return { ...route.schema, response: { ...Object.fromEntries(added), ...own } };
}

const isGuarded = ({ access }: RouteRules) => access.kind !== "open";

/** A route whose path names a tenant also reads X-Tenant-ID. */
function takesInput({ url, schema }: Documented): boolean {
	return (
		[schema.body, schema.params, schema.querystring].some((part) => part !== undefined) || url.includes("/:")
	);
}
