import { isRecord, textOf } from "../calls/client-error.ts";
import type { ClientConfig } from "../options.ts";
import type { Tokens } from "./tokens.ts";

/** The tokens of this tab: access in memory, refresh also where the app chose. */
export type HeldTokens = {
	readonly current: Tokens | undefined;
	/** Grows whenever a session begins or ends: what was asked for an earlier one is dropped. */
	readonly epoch: number;
	/** When somebody last signed in here, for the grace of §5.13. */
	authenticatedAt: number | undefined;
	/** Names the tenant of this tab, so that tabs in two tenants that share a storage keep apart. */
	scope(tenant: string | undefined): void;
	begin(tokens: Tokens): void;
	replace(tokens: Tokens): void;
	/** The refresh token to use now and the session it belongs to: another tab may have stored a newer one. */
	stored(): { refreshToken: string; sid: string } | undefined;
	drop(): void;
};

export function holdTokens({ clientId, storage }: Pick<ClientConfig, "clientId" | "storage">): HeldTokens {
	let current: Tokens | undefined;
	let epoch = 0;
	let key = `lango:${clientId}::refresh`;
	const keep = (tokens: Tokens) => {
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
		authenticatedAt: undefined,
		scope(tenant) {
			key = `lango:${clientId}:${tenant ?? ""}:refresh`;
		},
		begin(tokens) {
			epoch += 1;
			keep(tokens);
		},
		replace: keep,
		stored() {
			const kept = readStored(storage.get(key));
			if (current === undefined) return kept;
			const { refreshToken, claims } = current;
			const sid = claims.sid ?? "";
			if (kept?.sid === sid) return kept;
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
		const kept: unknown = JSON.parse(text ?? "null");
		const refreshToken = isRecord(kept) ? textOf(kept["refreshToken"]) : undefined;
		return isRecord(kept) && refreshToken !== undefined
			? { refreshToken, sid: textOf(kept["sid"]) ?? "" }
			: undefined;
	} catch {
		return undefined; // Not written by this client: as good as nothing.
	}
}
