import { type PagesOptions, pagesApp } from "./page.routes.ts";

export type RunningPages = {
	/** The URL of the pages, for example "http://localhost:3000". */
	url: string;
	/** Stops listening and closes idle connections. Resolves when the last response has been sent. */
	close: () => Promise<void>;
};

/**
 * Serves a folder of built pages until closed. Throws an Error if the folder has no index.html or an origin
 * of `connect` is invalid. A port in use throws Node's own error (code EADDRINUSE).
 */
export async function startPages(options: PagesOptions): Promise<RunningPages> {
	const { host = "localhost", port } = options;
	const app = await pagesApp(options);
	await app.listen({ host, port });
	const bound = app.server.address();
	const listening = typeof bound === "object" && bound !== null ? bound.port : port;
	return { url: `http://${urlHost(host)}:${listening}`, close: () => app.close() };
}

/** The host for a URL: IPv6 in brackets, and "localhost" for the unspecified addresses. */
function urlHost(host: string): string {
	if (host === "0.0.0.0" || host === "::") return "localhost";
	return host.includes(":") ? `[${host}]` : host;
}
