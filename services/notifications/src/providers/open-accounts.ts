import { LRUCache } from "lru-cache";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Account, Connected } from "../provider.ts";
import type { StoredAccount } from "./account.store.ts";
import { type AnyAdapter, findAdapter } from "./adapters.ts";
import { webhookUrlOf } from "./webhook-url.ts";

/** An account with its credentials in clear, and its connection where the adapter keeps one. */
export type OpenAccount = { adapter: AnyAdapter; account: Connected<unknown, unknown>; close(): void };

const connectionsMax = 200;

/** Opens accounts, and keeps their connections until their credentials or their address change. */
export function createOpenAccounts({ vault, publicUrl }: { vault: Vault; publicUrl: string }) {
	const opened = new LRUCache<string, OpenAccount>({
		max: connectionsMax,
		dispose: ({ close }) => close(),
	});
	const open = (stored: StoredAccount): OpenAccount => {
		const { id, baseUrl, fromAddress, inFlightMax, credentials } = stored;
		const key = [id, baseUrl, fromAddress, inFlightMax, credentials.sealed.toString("base64")].join(" ");
		const known = opened.get(key);
		if (known !== undefined) return known;
		const adapter = findAdapter(stored.kind);
		if (adapter === undefined) throw new Error(`there is no adapter for ${stored.kind}`);
		const { webhookToken, ...secrets } = vault.openCredentials(credentials);
		const account = {
			...{ id, inFlightMax },
			owner: stored.isOwn ? ("tenant" as const) : ("platform" as const),
			credentials: secrets.credentials,
			...(baseUrl !== undefined && { baseUrl }),
			...(fromAddress !== undefined && { fromAddress }),
			...(webhookToken !== undefined && { webhookUrl: webhookUrlOf({ publicUrl, id, webhookToken }) }),
		};
		const { connection, close } = adapter.connect?.(account) ?? { connection: undefined, close: () => {} };
		const entry = { adapter, account: { ...account, connection }, close };
		opened.set(key, entry);
		return entry;
	};
	return { open, closeAll: () => opened.clear() };
}

/** An account for single calls: to verify a webhook, or to try its credentials. */
export const openStoredAccount = (
	vault: Vault,
	id: string,
	stored: Pick<StoredAccount, "isOwn" | "baseUrl" | "credentials">,
): Account<unknown> => ({
	...{ id, inFlightMax: 1, owner: stored.isOwn ? "tenant" : "platform" },
	credentials: vault.openCredentials(stored.credentials).credentials,
	...(stored.baseUrl !== undefined && { baseUrl: stored.baseUrl }),
});
