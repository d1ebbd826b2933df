import { recordOf, textOf } from "../calls/client-error.ts";
import type { ClientConfig } from "../options/options.ts";
import type { Tokens } from "./tokens.ts";

/** The tokens of this tab: the access token in memory, the refresh token also in `ClientOptions.storage`. */
export type TokenStore = {
	readonly current: Tokens | undefined;
	/** Increases when a session begins or ends. Results for an earlier session are discarded. */
	readonly epoch: number;
	/** The `sid` of the session of this tab; undefined without one. */
	readonly sid: string | undefined;
	/** When a person last signed in here, in milliseconds since the epoch, for the grace period of §5.13. */
	authenticatedAt: number | undefined;
	/** Sets the tenant of this tab, which separates tabs of different tenants that share a storage. */
	scope(tenant: string | undefined): void;
	begin(tokens: Tokens): void;
	replace(tokens: Tokens): void;
	/** The refresh token to use and the `sid` of its session. Another tab may have stored a newer one. */
	stored(): { refreshToken: string; sid: string } | undefined;
	drop(): void;
};

export function createTokenStore({
	clientId,
	storage,
}: Pick<ClientConfig, "clientId" | "storage">): TokenStore {
	let current: Tokens | undefined;
	let epoch = 0;
	let key = `lango:${clientId}::refresh`;
	const replace = (tokens: Tokens) => {
		current = tokens;
		const { refreshToken, claims } = tokens;
		if (refreshToken === undefined) storage.remove(key);
		else storage.set(key, JSON.stringify({ refreshToken, sid: claims.sid ?? "" }));
	};
	return {
		get current() {
			return current;
		},
		get epoch() {
			return epoch;
		},
		get sid() {
			return current?.claims.sid ?? readStored(storage.get(key))?.sid;
		},
		authenticatedAt: undefined,
		scope(tenant) {
			key = `lango:${clientId}:${tenant ?? ""}:refresh`;
		},
		begin(tokens) {
			epoch += 1;
			replace(tokens);
		},
		replace,
		stored() {
			const stored = readStored(storage.get(key));
			if (current === undefined) return stored;
			const { refreshToken, claims } = current;
			const sid = claims.sid ?? "";
			if (stored?.sid === sid) return stored;
			return refreshToken === undefined ? undefined : { refreshToken, sid };
		},
		drop() {
			epoch += 1;
			current = undefined;
			storage.remove(key);
		},
	};
}

function readStored(text: string | undefined): { refreshToken: string; sid: string } | undefined {
	try {
		const stored = recordOf(JSON.parse(text ?? "null"));
		const refreshToken = textOf(stored["refreshToken"]);
		return refreshToken === undefined ? undefined : { refreshToken, sid: textOf(stored["sid"]) ?? "" };
	} catch {
		return undefined; // Invalid JSON was not written by this client.
	}
}
