import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { KeyPurpose } from "@lango/contracts";
import type {
	FastifyReply,
	FastifyRequest,
	FastifySchema,
	RawReplyDefaultExpression,
	RawRequestDefaultExpression,
	RawServerDefault,
	RouteGenericInterface,
	RouteOptions,
} from "fastify";

/** The callers that a route admits. It has no default: a route without it does not compile. */
export type Access =
	/** Every caller, for the given reason. */
	| { kind: "open"; because: string }
	/** Every caller with a valid credential of a kind that the service accepts. */
	| { kind: "signed_in" }
	/** Another service with a key for this purpose. */
	| { kind: "api_key"; purpose: KeyPurpose }
	/** A superuser of the platform's own tenant. */
	| { kind: "platform_owner" }
	/**
	 * Callers that have one of the service's permissions and the token's canonical code, as far as these are
	 * named.
	 */
	| { kind: "permit"; permissions: readonly string[]; canonical?: string };

/** Admits every caller, for the given reason. */
export const open = (because: string): Access => ({ kind: "open", because });
/** Admits every caller with a valid credential. */
export const signedIn = (): Access => ({ kind: "signed_in" });
/** Admits other services, with a key for this purpose. */
export const apiKey = (purpose: KeyPurpose): Access => ({ kind: "api_key", purpose });
/** Admits the platform owner: a superuser of its tenant. */
export const platformOwner = (): Access => ({ kind: "platform_owner" });
/**
 * Admits callers that have one of these permissions of the service (in its own tables, never in the
 * token).
 */
export const permit = (...permissions: readonly string[]): Access => ({ kind: "permit", permissions });
/** Admits callers whose token has this canonical code (never looked up in the service's tables). */
export const canonical = (code: string): Access => ({ kind: "permit", permissions: [], canonical: code });
/** Admits callers that have both (spec §5.8). */
export const both = (permission: string, code: string): Access => ({
	kind: "permit",
	permissions: [permission],
	canonical: code,
});

/** Declares that a route is not bound to the caller's outlets, with the reason. */
export type TenantWide = { kind: "tenant-wide"; because: string };

/** Opts a route out of the binding to outlets; the reason is printed in the service's `access.txt`. */
export const tenantWide = (because: string): TenantWide => ({ kind: "tenant-wide", because });

/** The rules of a route, in addition to Fastify's options; the pipeline applies them. */
export type RouteRules = {
	access: Access;
	/** `exempt`: the subscription gate admits mutations, for the given reason. */
	subscription?: { exempt: string };
	/** The token's products must have this one. */
	product?: string;
	/** It needs no product although its service is sold as one, for the given reason. */
	withoutProduct?: { because: string };
	/** The tenant's plan must have this feature. */
	feature?: string;
	/** Customers of the route need this feature of the tenant's plan; staff and programs do not. */
	customerFeature?: string;
	/**
	 * The tenant's plan must have this limit (`max_orders_per_day`): 403 `limit_reached` if it is absent or
	 * 0. `limitOf(request)` returns its value; the service counts.
	 */
	limit?: string;
	/**
	 * Also admits callers that hold only the `_own` form of a named permission. The handler must filter by
	 * `ownerOf(request)`; a handler that does not call it is a bug, answered 500. The same holds if `permit`
	 * names an `_own` code itself.
	 */
	own?: true;
	/**
	 * A person's token must hold the scope `lango.api` on every guarded route; `any` makes a route accept
	 * every valid token. Tokens of programs and tokens that the service issued itself are exempt.
	 */
	scope?: "any";
	/** The outlet use cases that this route is for. */
	useCase?: readonly string[];
	/**
	 * Without it, the route is bound to the caller's outlets: its statements filter by `outletsOf(request)`,
	 * or its handler calls `outletFor` or `requireRight`. A handler that calls none of them is a bug,
	 * answered 500. Permissions that a person holds only at the outlet of X-Outlet-ID count. A tenant-wide
	 * route reads and changes rows without an outlet, or reads all outlets for the given reason; only
	 * permissions in the whole tenant count on it.
	 */
	outlets?: TenantWide;
	/** `admitted`: also admits people whose access waits for approval. */
	pending?: "admitted";
	/** `oauth`: errors in the format of RFC 6749 §5.2. */
	failures?: "oauth";
	/**
	 * The body is a `Buffer` with one of these media types, and every other type is 415: for uploaded files.
	 * `any`: with whatever type and also without one, for webhooks whose signature covers the raw body.
	 */
	bytes?: readonly string[] | "any";
	/** The limit by address does not count the route's requests, for the given reason. */
	addressLimit?: { exempt: string };
	/** The path has a secret: log lines and spans have the address of the route in place of the path. */
	secretPath?: true;
	/** Pages of any origin may read the response, without credentials. Only for public GET routes. */
	anyOrigin?: true;
};

type TypedRoute<Schema extends FastifySchema> = RouteOptions<
	RawServerDefault,
	RawRequestDefaultExpression,
	RawReplyDefaultExpression,
	RouteGenericInterface,
	unknown,
	Schema,
	TypeBoxTypeProvider
>;

export type Route = RouteOptions & RouteRules;

/** Declares a route. The types of params, query, body and response follow from its schema. */
export function route<const Schema extends FastifySchema>(
	options: TypedRoute<Schema> & { schema: Schema } & RouteRules,
): Route {
	return options as unknown as Route;
}

/**
 * The permissions of which one is enough: the named ones and, on a route with `own`, their `_own` forms.
 */
export function admittingPermissions({ access, own }: RouteRules): readonly string[] {
	if (access.kind !== "permit") return [];
	if (own !== true) return access.permissions;
	const owned = access.permissions.filter((code) => /\.(view|change|delete|manage)$/.test(code));
	return [...access.permissions, ...owned.map((code) => `${code}_own`)];
}

/** Puts a prefix before the addresses of a group of routes. */
export function under(prefix: string, routes: readonly Route[]): Route[] {
	return routes.map((one) => ({ ...one, url: `${prefix}${one.url}` }));
}

/** The property of a request that contains its route. */
export const reachedKey = Symbol("reached");
type Bound = { [reachedKey]?: Reached };

/** The rules of the request's route; undefined for unknown addresses. */
export function rulesOf(request: FastifyRequest): RouteRules | undefined {
	const reached = (request as Bound)[reachedKey];
	return reached === undefined
		? (request.routeOptions.config as { rules?: RouteRules }).rules
		: reached.rules;
}

/** The declared address of the request's route; undefined for unknown addresses. */
export function addressOf(request: FastifyRequest): string | undefined {
	return ((request as Bound)[reachedKey] ?? request.routeOptions).url;
}

/** Stores the route on the request, because reading it from Fastify is slower. */
export function bindRoute(request: FastifyRequest, reached: Reached): void {
	(request as Bound)[reachedKey] = reached;
}

/** One step of a pipeline: checks the request, sets its member of the call, or throws a Failure. */
export type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;
/** The requests that a step applies to, by route and method; evaluated once for each. */
type When = (reached: Reached & { method: string }) => boolean;
/** A route, or an unknown address: then both are undefined. */
export type Reached = { url: string | undefined; rules: RouteRules | undefined };

/** The steps of a service in their order, each with the requests that it applies to. */
export type Pipeline = ReadonlyArray<readonly [step: Step, when: When]>;

const reads = new Set(["GET", "HEAD", "OPTIONS"]);
/** Whether a method changes nothing. */
export const isRead = (method: string): boolean => reads.has(method);
export const everything: When = () => true;
/** Every route that the service declares, without health and metrics. */
export const declared: When = ({ rules }) => rules !== undefined;
export const guarded: When = ({ rules }) => rules !== undefined && rules.access.kind !== "open";
export const mutations: When = (reached) => guarded(reached) && !isRead(reached.method);
const operation: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz", "/metrics"]);
/** Whether an address is for operation: health and metrics. */
export const isOperation = (url: string | undefined): boolean => operation.has(url);
/** Every address whose requests the limit by address counts: not health and metrics, not exempt routes. */
export const limitedByAddress: When = ({ url, rules }) =>
	!isOperation(url) && rules?.addressLimit === undefined;
