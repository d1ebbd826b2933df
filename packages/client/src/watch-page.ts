import type { Client } from "./client.ts";

/**
 * Calls `reloadIfStale` when the person returns to the page, and `start` when the browser restores the page
 * from its cache. Returns a function that stops this.
 */
export function watchPage(client: Pick<Client, "start" | "reloadIfStale">, page: EventTarget): () => void {
	const onReturn = (event: Event) => {
		if ((event as Event & { persisted?: boolean }).persisted === true) void client.start();
		client.reloadIfStale();
	};
	for (const kind of ["focus", "pageshow"]) page.addEventListener(kind, onReturn);
	return () => {
		for (const kind of ["focus", "pageshow"]) page.removeEventListener(kind, onReturn);
	};
}
