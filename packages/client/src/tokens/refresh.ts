import { ClientError } from "../calls/client-error.ts";
import { requestObject } from "../calls/send-request.ts";
import type { ClientConfig } from "../options/options.ts";
import { resume } from "./resume.ts";
import type { Tabs } from "./tabs.ts";
import type { TokenStore } from "./token-store.ts";
import { readTokens, type TokenResponse, type Tokens } from "./tokens.ts";

/**
 * Returns tokens newer than the stale access token. Throws ClientError; `invalid_grant` if the session has
 * ended.
 */
export type Refresh = (stale: string | undefined) => Promise<Tokens>;

/** Allows one refresh at a time, shared by all callers in the tab and by the tabs of the session (§5.13). */
export function createRefresh(config: ClientConfig, tokenStore: TokenStore, tabs: Tabs): Refresh {
	let inFlight: Promise<Tokens> | undefined;
	const newer = (stale: string | undefined) =>
		tokenStore.current !== undefined && tokenStore.current.accessToken !== stale
			? tokenStore.current
			: undefined;

	async function refreshUnderLock(stale: string | undefined, sid: string): Promise<Tokens> {
		const epoch = tokenStore.epoch;
		if (newer(stale) === undefined) await tabs.requestTokens(sid, stale);
		const found = newer(stale);
		if (found !== undefined) return found;
		const { tokens } = await requestTokens();
		// The session ended during the request: discard the tokens.
		if (epoch !== tokenStore.epoch) throw new ClientError("signed_out");
		tokenStore.replace(tokens);
		tabs.publishTokens(tokens);
		return tokens;
	}

	/** By the refresh token; without one, by the cookie of the browser, for the same session only. */
	async function requestTokens(): Promise<TokenResponse> {
		const stored = tokenStore.stored();
		if (stored === undefined) {
			const { sid, tenant_slug: tenant } = tokenStore.current?.claims ?? {};
			if (!config.isResumed || sid === undefined) throw new ClientError("signed_out");
			const resumed = await resume(config, { tenant, sid });
			if (resumed === undefined) throw new ClientError("invalid_grant", { status: 401 });
			return resumed;
		}
		const response = await requestObject(config, `${config.authUrl}/api/v1/auth/refresh`, {
			method: "POST",
			body: { refresh_token: stored.refreshToken, client_id: config.clientId },
		});
		return readTokens(response, { now: config.now(), before: stored.refreshToken });
	}

	return (stale) => {
		const found = newer(stale);
		if (found !== undefined) return Promise.resolve(found);
		const sid = tokenStore.sid ?? "";
		inFlight ??= tabs
			.withLock(sid, () => refreshUnderLock(stale, sid))
			.finally(() => {
				inFlight = undefined;
			});
		return inFlight;
	};
}
