import { askObject } from "../calls/ask.ts";
import { ClientError } from "../calls/client-error.ts";
import type { ClientConfig } from "../options.ts";
import type { HeldTokens } from "./held-tokens.ts";
import type { Tabs } from "./tabs.ts";
import { readTokens, type Tokens } from "./tokens.ts";

/**
 * Answers tokens newer than the access token that is stale. Throws ClientError: `invalid_grant` when the
 * session is over.
 */
export type Refresh = (stale: string | undefined) => Promise<Tokens>;

/**
 * One refresh at a time, shared by everybody in the tab who asks meanwhile and by the other tabs of the
 * session (§5.13).
 */
export function shareRefresh(config: ClientConfig, held: HeldTokens, tabs: Tabs): Refresh {
	let inFlight: Promise<Tokens> | undefined;
	const newer = (stale: string | undefined) =>
		held.current !== undefined && held.current.accessToken !== stale ? held.current : undefined;

	async function refreshAlone(stale: string | undefined, sid: string): Promise<Tokens> {
		const epoch = held.epoch;
		if (newer(stale) === undefined) await tabs.askOthers(sid, stale);
		const found = newer(stale);
		if (found !== undefined) return found;
		const stored = held.stored();
		if (stored === undefined) throw new ClientError("signed_out");
		const answer = await askObject(config, `${config.authUrl}/api/v1/auth/refresh`, {
			method: "POST",
			body: { refresh_token: stored.refreshToken, client_id: config.clientId },
		});
		// Somebody signed out, or in anew, meanwhile: these tokens are nobody's.
		if (epoch !== held.epoch) throw new ClientError("signed_out");
		const { tokens } = readTokens(answer, { now: config.now(), before: stored.refreshToken });
		held.replace(tokens);
		tabs.tell(tokens);
		return tokens;
	}

	return (stale) => {
		const found = newer(stale);
		if (found !== undefined) return Promise.resolve(found);
		const sid = held.stored()?.sid ?? "";
		inFlight ??= tabs
			.alone(sid, () => refreshAlone(stale, sid))
			.finally(() => {
				inFlight = undefined;
			});
		return inFlight;
	};
}
