import type { ConnectionLimits } from "@lango/chassis/connections";
import { pagesApp } from "./page.routes.ts";

export type PagesOptions = {
	/** What the pages are called in logs and health answers, for example "accounts". */
	name: string;
	/** The folder of built pages; it holds an index.html. */
	folder: string;
	/** The port to listen on; 0 takes a free one. */
	port: number;
	/** The address to listen on; "localhost" (both loopback families) when absent. */
	host?: string;
	/** What the page reads from /settings.json when it starts. Public: no secret belongs here. */
	settings: Readonly<Record<string, string>>;
	/** The origins the page may call, for example ["http://localhost:4000"]. */
	connect: readonly string[];
	/** Instead of the limits of connections that services have by default; there is none for an address, which may be a proxy's. */
	limits?: Partial<ConnectionLimits>;
};

export type RunningPages = {
	/** Where the pages answer, for example "http://localhost:3000". */
	url: string;
	/** Stops listening and ends idle connections; resolves when the last answer has left. */
	close: () => Promise<void>;
};

/**
 * Serves a folder of built pages until closed. Throws when the folder holds no index.html or an origin
 * of `connect` is none; a port in use rises as Node's own error (code EADDRINUSE) for the caller to explain.
 */
export async function startPages(options: PagesOptions): Promise<RunningPages> {
	const { host = "localhost", port } = options;
	const app = await pagesApp(options);
	await app.listen({ host, port });
	const bound = app.server.address();
	const listening = typeof bound === "object" && bound !== null ? bound.port : port;
	return { url: `http://${urlHost(host)}:${listening}`, close: () => app.close() };
}

/** A host as an address has it: IPv6 in brackets, and a name instead of the "any" addresses. */
function urlHost(host: string): string {
	if (host === "0.0.0.0" || host === "::") return "localhost";
	return host.includes(":") ? `[${host}]` : host;
}
