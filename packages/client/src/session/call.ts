import { ClientError, isOutletRefused } from "../calls/client-error.ts";
import { type CallOptions, sendRequest } from "../calls/send-request.ts";
import type { ClientConfig } from "../options/options.ts";
import { tenantHeaders } from "../profile/profile.ts";
import type { Tokens } from "../tokens/tokens.ts";
import type { ClientState } from "./client-state.ts";
import type { ClientContext } from "./context.ts";

type CallParts = Pick<ClientContext, "config" | "store" | "getOutletId" | "fresh" | "refresh"> & {
	/** Called if a request is still refused with 401 after a refresh. */
	onRefused: () => void;
	/** Called with the selected outlet if a service refused it (`outlet_forbidden`). */
	onOutletRefused: (outletId: string) => void;
};

/**
 * Calls a service. A path is resolved at the base address of the client's service; an address must be below
 * one of the client's base addresses, so that tokens are sent nowhere else. A 401 causes one refresh and one
 * retry, except for auth/me (§5.13).
 */
export function createCall(parts: CallParts) {
	const { config, fresh, refresh, onRefused, onOutletRefused } = parts;

	async function send(address: URL, options: CallOptions, tokens: Tokens | undefined): Promise<unknown> {
		const headers = headersOf(parts, address, { options, tokens });
		const outletId = headers["x-outlet-id"];
		try {
			return await sendRequest(config, address.href, { ...options, headers });
		} catch (error) {
			if (outletId !== undefined && isOutletRefused(error)) onOutletRefused(outletId);
			throw error;
		}
	}

	async function retry(address: URL, options: CallOptions, stale: Tokens): Promise<unknown> {
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
			return (await retry(address, options, tokens)) as T;
		}
	};
}

type Sent = { options: CallOptions; tokens: Tokens | undefined };

/** The headers of a request with the session: token, tenant, outlet and those of the options. */
export function headersOf(
	{ config, store, getOutletId }: Pick<ClientContext, "config" | "store" | "getOutletId">,
	address: URL,
	{ options, tokens }: Sent,
): Record<string, string> {
	const isWithOutlet = options.outlet !== "none" && isAtOwnTenant(address, store.get());
	const outletId = isWithOutlet ? getOutletId() : undefined;
	return {
		...(outletId !== undefined && { "x-outlet-id": outletId }),
		...(options.idempotencyKey !== undefined && { "idempotency-key": options.idempotencyKey }),
		...(tokens && { authorization: `Bearer ${tokens.accessToken}` }),
		...(tokens && !isSignOn(config, address) && tenantHeaders(tenantOf(store.get(), tokens))),
		...options.headers,
	};
}

/** Whether the service refused the session. False if the network failed. */
export function isSessionOver(error: unknown): boolean {
	return error instanceof ClientError && (error.status === 401 || error.code === "invalid_grant");
}

/** The tenant of the profile, or of the token until the profile is loaded. */
const tenantOf = (state: ClientState, { claims }: Tokens) =>
	state.status === "ready" || state.status === "pending"
		? state.profile
		: { tenantId: claims.tenant_id, tenantSlug: claims.tenant_slug };

/**
 * Whether a request to this address may carry an outlet of the person's tenant: not if the address names
 * another tenant. A request of the platform owner without a tenant concerns all tenants (§4.3), so it
 * carries an outlet only if it names the owner's own tenant.
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

/** The base addresses of services, without the sign-on service. */
const servicesOf = ({ service, subscriptionUrl, urls }: ClientConfig): string[] =>
	[service?.url, subscriptionUrl, ...urls].filter((base) => base !== undefined);

/** Whether the address belongs to the sign-on service. Other services may be below its address. */
const isSignOn = (config: ClientConfig, address: URL): boolean =>
	isBelow(address, config.authUrl) && !servicesOf(config).some((base) => isBelow(address, base));

/** The full address of a call. Throws an Error for an address that must not receive tokens. */
export function addressOf(config: ClientConfig, path: string, query: CallOptions["query"] = {}): URL {
	const bases = [...servicesOf(config), config.authUrl];
	const isPath = path.startsWith("/") && !path.startsWith("//");
	const address = new URL(isPath ? `${config.service?.url ?? config.authUrl}${path}` : path);
	if (!bases.some((base) => isBelow(address, base)))
		throw new Error(`The client must not call ${address.origin}. Add the address to urls.`);
	for (const [name, value] of Object.entries(query))
		if (value !== undefined) address.searchParams.set(name, String(value));
	return address;
}

/** Whether the address is the base or below it. Compares parsed origins and whole path segments. */
function isBelow(address: URL, base: string): boolean {
	const { origin, pathname } = new URL(base);
	return address.origin === origin && `${address.pathname}/`.startsWith(pathname.replace(/\/*$/, "/"));
}

/** Creates a key for a mutation. Use the same key for all retries of the mutation. */
export const createIdempotencyKey = (): string => crypto.randomUUID();
