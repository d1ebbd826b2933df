/** The cache of the service worker of @lango/pages (shell-worker.ts). */
const shell = "lango-shell";

/**
 * Keeps the page and the files that it has loaded in the browser, so that the pages open without a network.
 * Does nothing in a browser without service workers.
 */
export async function keepShell(): Promise<void> {
	if (!("serviceWorker" in navigator)) return;
	try {
		await navigator.serviceWorker.register("/service-worker.js");
		await navigator.serviceWorker.ready;
		// The worker sees only what is loaded after it has started.
		await (await caches.open(shell)).addAll(loadedFiles());
	} catch {
		// The browser refuses storage, or the network is gone: the pages still work with a network.
	}
}

function loadedFiles(): string[] {
	const names = performance.getEntriesByType("resource").map(({ name }) => name);
	return [...new Set(names)].filter((name) => name.startsWith(`${location.origin}/assets/`));
}
