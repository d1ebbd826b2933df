import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import files from "@fastify/static";
import {
	type ConnectionLimits,
	connectionOptions,
	defaultConnectionLimits,
	limitConnections,
} from "@lango/chassis/connections";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { toOrigin } from "./content-security-policy.ts";
import { codingFor, isPageAddress, type Page, pageReader } from "./page.ts";
import { previewFrame, previewFramePolicy } from "./preview-frame.ts";
import { shellWorkerPolicy, shellWorkerScript } from "./shell-worker.ts";

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

/** Headers of every response. Strict-Transport-Security is set by the proxy that terminates TLS. */
const everywhere: Readonly<Record<string, string>> = {
	"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
	"permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
};
const yearSeconds = 31_536_000;

/**
 * Creates the Fastify app that serves the built files, the settings, the health check, and index.html for
 * page addresses.
 */
export async function pagesApp(options: PagesOptions): Promise<FastifyInstance> {
	const { name, folder, settings, connect } = options;
	const limits = { ...defaultConnectionLimits, connectionsPerAddressMax: 0, ...options.limits };
	const root = resolve(folder);
	const origins = connect.map(toOrigin);
	const readPage = pageReader(join(root, "index.html"), origins);
	await readPage().catch((cause: unknown) => {
		throw new Error(`${name}: there is no index.html in ${root}. Build the pages first.`, { cause });
	});

	const app = fastify({
		bodyLimit: 1024,
		...connectionOptions(limits),
		forceCloseConnections: "idle",
		frameworkErrors: answerUnrouted,
		genReqId: () => randomUUID(),
		logger: { level: "warn", name, serializers: { req: withoutQuery } },
	});
	limitConnections(app.server, limits);
	app.addHook("onRequest", async (request, reply) => {
		reply.headers({ ...everywhere, "x-request-id": request.id });
		if (request.method !== "GET" && request.method !== "HEAD")
			return refuse(reply.header("allow", "GET, HEAD"), 405);
	});
	app.setErrorHandler((error, request, reply) => {
		const status = (error as { statusCode?: number }).statusCode ?? 500;
		if (status >= 500) request.log.error({ err: error }, "a page could not be served");
		// The file server refuses paths outside the folder with 403; they are answered as not found.
		return refuse(reply, status === 403 ? 404 : status);
	});

	app.get("/healthz", async () => ({ status: "ok" }));
	app.get("/settings.json", async (_request, reply) =>
		reply.header("cache-control", "no-cache").send(settings),
	);
	const framed = { "content-security-policy": previewFramePolicy(origins), "x-frame-options": "SAMEORIGIN" };
	app.get("/preview-frame.html", async (_request, reply) =>
		reply
			.headers({ ...framed, "cache-control": "no-cache" })
			.type("text/html; charset=utf-8")
			.send(previewFrame),
	);
	app.get("/service-worker.js", async (_request, reply) =>
		reply
			.headers({ "content-security-policy": shellWorkerPolicy, "cache-control": "no-cache" })
			.type("text/javascript; charset=utf-8")
			.send(shellWorkerScript),
	);
	await app.register(files, {
		root,
		index: false,
		dotfiles: "ignore",
		preCompressed: true,
		cacheControl: false,
		// HTML is served by the route below, which adds the policy.
		allowedPath: (path) => path !== "/" && !path.endsWith(".html"),
		setHeaders: (reply, file) => reply.header("cache-control", cachingOf(file.slice(root.length))),
	});
	app.setNotFoundHandler(async (request, reply) => {
		if (!isPageAddress(pathOf(request))) return refuse(reply, 404);
		return sendPage(request, reply, await readPage());
	});
	return app;
}

/** Answers requests that Fastify refuses before its hooks: paths that cannot be decoded or are too long. */
function answerUnrouted(
	error: Error & { statusCode?: number },
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	const status = error.statusCode ?? 500;
	void refuse(reply.headers({ ...everywhere, "x-request-id": request.id }), status === 414 ? 404 : status);
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
	const { html, compressed, etag, policy } = page;
	reply.header("cache-control", "no-cache").header("vary", "accept-encoding");
	reply.header("content-security-policy", policy).header("etag", etag);
	if (request.headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
	reply.code(200).type("text/html; charset=utf-8");
	const coding = codingFor(request.headers["accept-encoding"]);
	return coding === undefined
		? reply.send(html)
		: reply.header("content-encoding", coding).send(compressed[coding]);
}

/** Files under /assets have a content hash in their name and never change. Other files are revalidated. */
function cachingOf(file: string): string {
	return /^[\\/]assets[\\/]/.test(file) ? `public, max-age=${yearSeconds}, immutable` : "no-cache";
}

const refusals: Readonly<Record<number, readonly [code: string, error: string]>> = {
	404: ["not_found", "Page not found."],
	405: ["method_not_allowed", "Method not allowed. Use GET or HEAD."],
	500: ["internal", "The page could not be served. Try again later."],
};

function refuse(reply: FastifyReply, status: number): FastifyReply {
	const [code, error] = refusals[status] ?? ["invalid_input", "The request is malformed."];
	reply.code(status).header("cache-control", "no-store");
	return reply.send({ error, code, request_id: reply.request.id });
}

function pathOf(request: FastifyRequest): string {
	return request.url.split("?", 1)[0] ?? "/";
}

/** The request as it is logged, without its query, which may carry a sign-in in progress. */
function withoutQuery(request: FastifyRequest): { method: string; path: string } {
	return { method: request.method, path: pathOf(request) };
}
