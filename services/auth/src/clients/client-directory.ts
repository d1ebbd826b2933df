import type { Database } from "@lango/postgres";
import { requireNoOpenTransaction } from "@lango/tracing";
import { LRUCache } from "lru-cache";
import { findClient, listRedirectUris } from "./client.store.ts";
import type { Client } from "./client.ts";

/** The registered clients, cached for some seconds because every request to an OAuth endpoint needs them. */
export type ClientDirectory = {
	find(clientId: string): Promise<Client | undefined>;
	/**
	 * The origins of all redirect addresses: they may call from a browser, and be returned to. Concurrent
	 * callers share one query, so this must not be awaited inside a transaction. Throws TransactionOpen
	 * there, in tests.
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
	const known = new LRUCache<string, { at: number; client: Client }>({ max: clientsMax });
	let origins: { at: number; all: Promise<ReadonlySet<string>> } | undefined;
	/** Incremented by each invalidation: a result that was read before a change is not cached. */
	let cleared = 0;
	const isFresh = (at: number) => now().getTime() - at < freshMs;

	return {
		async find(clientId) {
			const remembered = known.get(clientId);
			if (remembered !== undefined && isFresh(remembered.at)) return remembered.client;
			const at = now().getTime();
			const began = cleared;
			const client = await findClient(db, clientId);
			if (began !== cleared) return client;
			if (client === undefined) known.delete(clientId);
			else known.set(clientId, { at, client });
			return client;
		},
		async origins() {
			requireNoOpenTransaction("look up the origins of clients");
			if (origins !== undefined && isFresh(origins.at)) return origins.all;
			const all = listRedirectUris(db).then(originsOf);
			const mine = { at: now().getTime(), all };
			origins = mine;
			all.catch(() => {
				if (origins === mine) origins = undefined;
			});
			return all;
		},
		clear() {
			cleared += 1;
			known.clear();
			origins = undefined;
		},
	};
}

function originsOf(uris: readonly string[]): ReadonlySet<string> {
	const parsed = uris.map((uri) => URL.parse(uri.replace("/{tenant}/", "/t/")));
	// A custom scheme has the origin "null", which any sandboxed page sends, too.
	return new Set(parsed.flatMap((url) => (url === null || url.origin === "null" ? [] : [url.origin])));
}
