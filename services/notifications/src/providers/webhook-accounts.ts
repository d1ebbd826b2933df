import { createCache } from "@lango/memory";
import type { Database } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Account } from "../provider.ts";
import { findWebhookProvider } from "./account.store.ts";
import { type AnyAdapter, findAdapter } from "./adapters.ts";
import { openStoredAccount } from "./open-accounts.ts";

/** A provider whose webhooks can be verified. */
export type WebhookAccount = {
	adapter: AnyAdapter;
	account: Account<unknown>;
	tokenHash: Buffer | undefined;
};

/** The providers of webhooks, in memory. */
export type WebhookAccounts = {
	/** Returns a provider, also a disabled one: its reports still come. Undefined if the id is unknown. */
	find(id: string): Promise<WebhookAccount | undefined>;
	changed(): void;
	setListening(isListening: boolean): void;
};

const accountsMax = 5_000;
const maxAgeMs = 60_000;

/** Creates the memory. Unknown ids are not kept, so that guesses fill nothing. */
export function createWebhookAccounts({
	db,
	now,
	vault,
}: {
	db: Database;
	now: () => Date;
	vault: Vault;
}): WebhookAccounts {
	const known = createCache<WebhookAccount | undefined>({ sizeMax: accountsMax, maxAgeMs, now });
	const load = async (id: string): Promise<WebhookAccount | undefined> => {
		const stored = await findWebhookProvider(db, id);
		const adapter = stored && findAdapter(stored.kind);
		if (stored === undefined || adapter === undefined) return undefined;
		return { adapter, account: openStoredAccount(vault, id, stored), tokenHash: stored.tokenHash };
	};
	return {
		find: (id) => known.load(id, () => load(id)),
		changed: known.invalidateAll,
		setListening: known.setListening,
	};
}
