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

/** The callers that a route admits. There is no default: leaving it out does not compile. */
export type Access =
	/** Anybody; says why. */
	| { kind: "open"; because: string }
	/** Anybody with a valid credential of the kinds the service takes. */
	| { kind: "signed_in" }
	/** Another service with a key for this purpose. */
	| { kind: "api_key"; purpose: KeyPurpose }
	/** A superuser of the platform's own tenant. */
	| { kind: "platform_owner" }
	/**
	 * Callers that hold one of the service's permissions and the token's canonical code, as far as they are
	 * named.
	 */
	| { kind: "permit"; permissions: readonly string[]; canonical?: string };

/** Anybody may call it, for the reason given. */
export const open = (because: string): Access => ({ kind: "open", because });
/** Any caller with a valid credential. */
export const signedIn = (): Access => ({ kind: "signed_in" });
/** Other services only, by a key for this purpose. */
export const apiKey = (purpose: KeyPurpose): Access => ({ kind: "api_key", purpose });
/** The platform's owner only: a superuser of its tenant. */
export const platformOwner = (): Access => ({ kind: "platform_owner" });
/** Callers that hold one of these permissions of the service (in its own tables, never in the token). */
export const permit = (...permissions: readonly string[]): Access => ({ kind: "permit", permissions });
/** Callers whose token has this canonical code (never looked up in the service's tables). */
export const canonical = (code: string): Access => ({ kind: "permit", permissions: [], canonical: code });
/** Where both must hold (spec §5.8). */
export const both = (permission: string, code: string): Access => ({
	kind: "permit",
	permissions: [permission],
	canonical: code,
});

/** A route that is not bound to the caller's outlets, and why. */
export type TenantWide = { kind: "tenant-wide"; because: string };

/** Opts a route out of the binding to outlets; the reason is printed in the service's `access.txt`. */
export const tenantWide = (because: string): TenantWide => ({ kind: "tenant-wide", because });

/** What a route may say beyond Fastify's own options; the pipeline acts on it. */
export type RouteRules = {
	access: Access;
	/** `exempt`: the subscription gate lets mutations through, for the reason given. */
	subscription?: { exempt: string };
	/** The token's products must have this one. */
	product?: string;
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
	/** Outlet use cases this route is for. */
	useCase?: readonly string[];
	/**
	 * Without it, the route is bound to the caller's outlets: its statements filter by `outletsOf(request)`,
	 * or its handler calls `outletFor` or `requireRight`. A handler that calls none of them is a bug,
	 * answered 500. Permissions that a person holds only at the outlet of X-Outlet-ID count. A tenant-wide
	 * route reads and changes rows without an outlet, or reads all outlets for the given reason; only
	 * permissions in the whole tenant count on it.
	 */
	outlets?: TenantWide;
	/** `admitted`: answers people whose access waits for approval, too. */
	pending?: "admitted";
	/** `oauth`: refusals in the form of RFC 6749 §5.2. */
	failures?: "oauth";
	/**
	 * The body is taken as bytes (a `Buffer`) and has one of these media types; every other type is 415. For
	 * files that are uploaded.
	 */
	bytes?: readonly string[];
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

/** Declares a route; the types of params, query, body and answer follow from its schema. */
export function route<const Schema extends FastifySchema>(
	options: TypedRoute<Schema> & { schema: Schema } & RouteRules,
): Route {
	return options as unknown as Route;
}

/** The permissions any one of which admits: those named and, on a route that says `own`, their `_own`. */
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

/** Where a request has the route it reached. */
export const reachedKey = Symbol("reached");
type Bound = { [reachedKey]?: Reached };

/** The rules of the route a request reached; undefined for addresses that do not exist. */
export function rulesOf(request: FastifyRequest): RouteRules | undefined {
	const reached = (request as Bound)[reachedKey];
	return reached === undefined
		? (request.routeOptions.config as { rules?: RouteRules }).rules
		: reached.rules;
}

/** The declared address of the route that a request reached; undefined for addresses that do not exist. */
export function addressOf(request: FastifyRequest): string | undefined {
	return ((request as Bound)[reachedKey] ?? request.routeOptions).url;
}

/** Stores the route on the request, because reading it from Fastify is slower. */
export function bindRoute(request: FastifyRequest, reached: Reached): void {
	(request as Bound)[reachedKey] = reached;
}

/** One step of a pipeline: looks at the request, fills in its part of the call, or throws a Failure. */
export type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;
/** Which requests a step is for, by their route and method; asked once for each. */
type When = (reached: Reached & { method: string }) => boolean;
/** A route, or an address that does not exist: then neither is known. */
export type Reached = { url: string | undefined; rules: RouteRules | undefined };

/** The steps every request of a service goes through, in order, each with the requests it is for. */
export type Pipeline = ReadonlyArray<readonly [step: Step, when: When]>;

const reads = new Set(["GET", "HEAD", "OPTIONS"]);
/** Whether a method changes nothing. */
export const isRead = (method: string): boolean => reads.has(method);
export const everything: When = () => true;
/** Every route the service declares; not the addresses of its operation. */
export const declared: When = ({ rules }) => rules !== undefined;
export const guarded: When = ({ rules }) => rules !== undefined && rules.access.kind !== "open";
export const mutations: When = (reached) => guarded(reached) && !isRead(reached.method);
const operation: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz", "/metrics"]);
/** Whether an address is for operation: probes and measurements. */
export const isOperation = (url: string | undefined): boolean => operation.has(url);
/** Everything but the addresses for operation. */
export const served: When = ({ url }) => !isOperation(url);
