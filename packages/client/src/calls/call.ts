import type { ClientConfig } from "../options.ts";
import type { ClientState } from "../session/client-state.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { ask, type Request } from "./ask.ts";
import { ClientError, isOutletRefused } from "./client-error.ts";

export type CallOptions = Request & {
	query?: Readonly<Record<string, string | number | boolean | undefined>>;
	/** A public read: no Authorization goes along (§4.3). */
	isPublic?: boolean;
	/**
	 * `none`: it is about the whole tenant, so no outlet goes along (§4.3). Default: the one that is
	 * selected.
	 */
	outlet?: "none" | undefined;
	/** Makes a mutation happen once, however often it is sent: see `createIdempotencyKey`. */
	idempotencyKey?: string;
};

type CallParts = {
	config: ClientConfig;
	getState: () => ClientState;
	getOutletId: () => string | undefined;
	/** Tokens that are good by the clock. */
	fresh: () => Promise<Tokens>;
	/** Tokens newer than these. */
	refresh: (stale: string) => Promise<Tokens>;
	/** Told when a 401 outlived the refresh. */
	onRefused: () => void;
	/** Called with the selected outlet if a service refused it (`outlet_forbidden`). */
	onOutletRefused: (outletId: string) => void;
};

/**
 * Asks a service. A path is taken at the service's own base, an address must be at one the client was
 * made for: a token goes nowhere else. On 401 the tokens are refreshed once and the call is sent once
 * more, except for auth/me (§5.13).
 */
export function createCall(parts: CallParts) {
	const { config, getState, getOutletId, fresh, refresh, onRefused, onOutletRefused } = parts;

	const outletFor = (address: URL, { outlet }: CallOptions): string | undefined =>
		outlet !== "none" && isAtOwnTenant(address, getState()) ? getOutletId() : undefined;

	async function send(address: URL, options: CallOptions, tokens: Tokens | undefined): Promise<unknown> {
		const outletId = outletFor(address, options);
		const headers = {
			...(outletId !== undefined && { "x-outlet-id": outletId }),
			...(options.idempotencyKey !== undefined && { "idempotency-key": options.idempotencyKey }),
			...(tokens && { authorization: `Bearer ${tokens.accessToken}` }),
			...(tokens && !isSignOn(config, address) && tenantHeaders(getState(), tokens)),
			...options.headers,
		};
		try {
			return await ask(config, address.href, { ...options, headers });
		} catch (error) {
			if (outletId !== undefined && isOutletRefused(error)) onOutletRefused(outletId);
			throw error;
		}
	}

	async function sendAgain(address: URL, options: CallOptions, stale: Tokens): Promise<unknown> {
		try {
			return await send(address, options, await refresh(stale.accessToken));
		} catch (error) {
			if (isSessionOver(error)) onRefused();
			throw error;
		}
	}

	return async function call<T = unknown>(path: string, options: CallOptions = {}): Promise<T> {
		const address = addressOf(config, path, options.query);
		if (options.isPublic === true) return (await send(address, options, undefined)) as T;
		const tokens = await fresh().catch((error: unknown) => {
			if (isSessionOver(error)) onRefused();
			throw error;
		});
		try {
			return (await send(address, options, tokens)) as T;
		} catch (error) {
			const isMe = address.pathname.endsWith("/auth/me");
			if (!(error instanceof ClientError) || error.status !== 401 || isMe) throw error;
			return (await sendAgain(address, options, tokens)) as T;
		}
	};
}

/** Was this a refusal of the session itself, and not of a network that failed? */
export function isSessionOver(error: unknown): boolean {
	return error instanceof ClientError && (error.status === 401 || error.code === "invalid_grant");
}

/** The tenant's headers; none for the platform owner (§4). */
function tenantHeaders(state: ClientState, { claims }: Tokens): Record<string, string> {
	const profile = state.status === "ready" || state.status === "pending" ? state.profile : undefined;
	if (profile?.isPlatformOwner === true) return {};
	const id = profile?.tenantId ?? claims.tenant_id;
	const slug = profile?.tenantSlug ?? claims.tenant_slug;
	return { ...(id && { "x-tenant-id": id }), ...(slug && { "x-tenant-slug": slug }) };
}

/**
 * May the address be asked with an outlet of the person's tenant? Not when it names another one; and for
 * the platform owner, whom services answer for every tenant at once (§4.3), only when it names their own.
 */
function isAtOwnTenant({ pathname, searchParams }: URL, state: ClientState): boolean {
	if (state.status !== "ready") return false;
	const { tenantId, tenantSlug, isPlatformOwner, memberships } = state.profile;
	const isOwn = (name: string | undefined) => name === tenantId || name === tenantSlug;
	const parts = pathname.split("/");
	const queried = searchParams.get("tenantId");
	const named = queried ?? parts.find(isOwn) ?? parts[parts.indexOf("tenants") + 1 || -1];
	if (named !== undefined || isPlatformOwner) return isOwn(named);
	return !memberships.some(({ slug }) => parts.includes(slug));
}

/** The services a token may be sent to beside the sign-on service. */
const servicesOf = ({ service, subscriptionUrl, urls }: ClientConfig): string[] =>
	[service?.url, subscriptionUrl, ...urls].filter((base) => base !== undefined);

/** The sign-on service is no tenant's; other services may answer below its address. */
const isSignOn = (config: ClientConfig, address: URL): boolean =>
	isAt(address, config.authUrl) && !servicesOf(config).some((base) => isAt(address, base));

/** Where a call goes. Throws an Error for an address no token may be sent to. */
function addressOf(config: ClientConfig, path: string, query: CallOptions["query"] = {}): URL {
	const bases = [...servicesOf(config), config.authUrl];
	const isPath = path.startsWith("/") && !path.startsWith("//");
	const address = new URL(isPath ? `${config.service?.url ?? config.authUrl}${path}` : path);
	if (!bases.some((base) => isAt(address, base)))
		throw new Error(`the client was not made for ${address.origin}: name it in urls`);
	for (const [name, value] of Object.entries(query))
		if (value !== undefined) address.searchParams.set(name, String(value));
	return address;
}

/** Is the address the base or below it? Compared after parsing, by origin and whole path segments. */
function isAt(address: URL, base: string): boolean {
	const { origin, pathname } = new URL(base);
	return address.origin === origin && `${address.pathname}/`.startsWith(pathname.replace(/\/*$/, "/"));
}

/** A new key for a mutation that must happen once; keep it for as long as the same thing is tried. */
export const createIdempotencyKey = (): string => crypto.randomUUID();
