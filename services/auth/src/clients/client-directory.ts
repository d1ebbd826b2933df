import { createCache } from "@lango/memory";
import type { Database } from "@lango/postgres";
import { findClient, listRedirectUris } from "./client.store.ts";
import type { Client } from "./client.ts";

/** The registered clients, cached for some seconds because every request to an OAuth endpoint needs them. */
export type ClientDirectory = {
	/** Concurrent callers share one query. Throws TransactionOpen inside a transaction, in tests. */
	find(clientId: string): Promise<Client | undefined>;
	/**
	 * The origins of all redirect addresses: they may call from a browser, and be returned to. Throws as
	 * `find`.
	 */
	origins(): Promise<ReadonlySet<string>>;
	/**
	 * Clears the cache after a change of a client in this process. Entries of other processes expire within a
	 * few seconds.
	 */
	clear(): void;
};

const freshMs = 5_000;
const clientsMax = 1_000;

export function createClientDirectory({ db, now }: { db: Database; now: () => Date }): ClientDirectory {
	const clients = createCache<Client>({ now, sizeMax: clientsMax, maxAgeMs: freshMs });
	const origins = createCache<ReadonlySet<string>>({ now, sizeMax: 1, maxAgeMs: freshMs });
	return {
		find: (clientId) => clients.load(clientId, () => findClient(db, clientId)),
		origins: () => origins.load("all", async () => originsOf(await listRedirectUris(db))),
		clear() {
			clients.invalidateAll();
			origins.invalidateAll();
		},
	};
}

/** The origins of redirect addresses. */
export function originsOf(uris: readonly string[]): ReadonlySet<string> {
	const parsed = uris.map((uri) => URL.parse(uri.replace("/{tenant}/", "/t/")));
	// A custom scheme has the origin "null", which any sandboxed page sends, too.
	return new Set(parsed.flatMap((url) => (url === null || url.origin === "null" ? [] : [url.origin])));
}
