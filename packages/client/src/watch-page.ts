import type { Client } from "./client.ts";

/**
 * Has a client look again whenever somebody comes back to the page, and when the browser takes it out of its cache whether it is signed
 * in at all. Answers what ends it.
 */
export function watchPage(client: Pick<Client, "start" | "lookAgain">, page: EventTarget): () => void {
	const look = (event: Event) => {
		if ((event as Event & { persisted?: boolean }).persisted === true) void client.start();
		client.lookAgain();
	};
	for (const kind of ["focus", "pageshow"]) page.addEventListener(kind, look);
	return () => {
		for (const kind of ["focus", "pageshow"]) page.removeEventListener(kind, look);
	};
}
