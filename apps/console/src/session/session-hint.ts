import type { Client } from "@lango/client";

const key = "lango-console-session";

/**
 * Keeps for the next load whether this browser has a session of the console. It is a guess that decides only
 * when the code of the pages is requested.
 */
export function keepSessionHint(client: Pick<Client, "getState" | "subscribe" | "onClear">): void {
	client.subscribe(() => {
		if (client.getState().status === "ready") withStorage((storage) => storage.setItem(key, "1"));
	});
	client.onClear(() => withStorage((storage) => storage.removeItem(key)));
}

/** Whether this browser had a session of the console when a page of it was last open. */
export const isSessionLikely = (): boolean => withStorage((storage) => storage.getItem(key)) === "1";

/** Without storage nothing is known. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
	try {
		return use(localStorage);
	} catch {
		return undefined;
	}
}
