/** What the worker uses of a browser's service worker scope. */
export type ShellScope = {
	caches: { open(name: string): Promise<ShellCache>; delete(name: string): Promise<boolean> };
	location: { origin: string };
	fetch: (request: Request | string) => Promise<Response>;
	skipWaiting(): Promise<void>;
	clients: { claim(): Promise<void> };
	addEventListener(kind: string, listener: (event: ShellEvent) => void): void;
};
type ShellCache = {
	match(key: string): Promise<Response | undefined>;
	put(key: string, response: Response): Promise<void>;
};
type ShellEvent = {
	request: Request;
	respondWith(response: Promise<Response>): void;
	waitUntil(work: Promise<unknown>): void;
};

/**
 * The service worker of the pages: it keeps the page and its files, so that the pages open without a network.
 * It keeps nothing else: no settings and no response of a service. The page comes from the network whenever
 * there is one. It is sent to the browser as text, so it uses nothing outside of itself.
 */
export function shellWorker(scope: ShellScope): void {
	const shell = "lango-shell";
	const page = "/index.html";
	const openShell = () => scope.caches.open(shell);

	async function fetchPage(request: Request | string): Promise<Response> {
		try {
			const response = await scope.fetch(request);
			if (isPage(response)) await keepPage(response.clone());
			return response;
		} catch (error) {
			const kept = await (await openShell()).match(page);
			if (kept === undefined) throw error;
			return kept;
		}
	}

	const isPage = ({ ok, headers }: Response) =>
		ok && (headers.get("content-type") ?? "").startsWith("text/html");

	/** A new build has new files: those of the build before go with its page. */
	async function keepPage(response: Response): Promise<void> {
		const kept = await (await openShell()).match(page);
		if (kept !== undefined && kept.headers.get("etag") !== response.headers.get("etag"))
			await scope.caches.delete(shell);
		await (await openShell()).put(page, response);
	}

	/** The name of a file has a hash of its content: what is kept is current. */
	async function fetchFile(request: Request): Promise<Response> {
		const cache = await openShell();
		const kept = await cache.match(request.url);
		if (kept !== undefined) return kept;
		const response = await scope.fetch(request);
		if (response.ok) await cache.put(request.url, response.clone());
		return response;
	}

	scope.addEventListener("install", (event) =>
		event.waitUntil(fetchPage("/").then(() => scope.skipWaiting())),
	);
	scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));
	scope.addEventListener("fetch", (event) => {
		const { request } = event;
		const { origin, pathname } = new URL(request.url);
		if (request.method !== "GET" || origin !== scope.location.origin) return;
		if (pathname.startsWith("/assets/")) event.respondWith(fetchFile(request));
		// A document with a dot in its name, such as /preview-frame.html, is not the page.
		else if (request.mode === "navigate" && !/\.[^/]*$/.test(pathname)) event.respondWith(fetchPage(request));
	});
}

/** The worker as the script that a browser registers. */
export const shellWorkerScript = `(${shellWorker})(self);\n`;

/** The policy of that script: it may fetch the page's own files. */
export const shellWorkerPolicy = "default-src 'none'; connect-src 'self'";
