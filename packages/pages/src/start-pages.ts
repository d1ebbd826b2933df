import type { ConnectionLimits } from "@lango/chassis/connections";
import { pagesApp } from "./page.routes.ts";

export type PagesOptions = {
	/** The name of the pages in logs and health responses, for example "accounts". */
	name: string;
	/** The folder with the built pages. It must contain an index.html. */
	folder: string;
	/** The port to listen on. 0 chooses a free port. */
	port: number;
	/** The address to listen on. Default: "localhost" (IPv4 and IPv6). */
	host?: string;
	/** Served as /settings.json. Public: it must not contain secrets. */
	settings: Readonly<Record<string, string>>;
	/** The origins that the page may call, for example ["http://localhost:4000"]. */
	connect: readonly string[];
	/**
	 * Overrides of the services' connection limits. There is no limit per address, because all requests may
	 * come from one proxy.
	 */
	limits?: Partial<ConnectionLimits>;
};

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
