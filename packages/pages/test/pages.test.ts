import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningPages, startPages } from "../src/index.ts";

const script = "document.title = 'Lango';";
const html = `<!doctype html><title>x</title><script>${script}</script><style>p { margin: 0 }</style><p>Karibu</p>`;

let folder: string;
let pages: RunningPages;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "lango-pages-"));
	await mkdir(join(folder, "assets"));
	await writeFile(join(folder, "index.html"), html);
	await writeFile(join(folder, "assets", "page-3f2a.js"), "export const gate = 1;");
	await writeFile(join(folder, "assets", "page-3f2a.js.gz"), gzipSync("export const gate = 1;"));
	await writeFile(join(folder, "favicon.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>");
	await writeFile(join(folder, ".env"), "SECRET=1");
	pages = await startPages({
		name: "accounts",
		folder,
		port: 0,
		settings: { authUrl: "http://localhost:4000" },
		connect: ["http://localhost:4000", "https://auth.example/with/path"],
	});
});

afterAll(async () => {
	await pages.close();
	await rm(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${pages.url}${path}`, { headers });

test.each(["/", "/login?return_to=x.y&tenant=uhai", "/auth/callback?code=a.b", "/unknown", "/index.html"])(
	"%s is answered with the page, which must be revalidated",
	async (path) => {
		const answer = await get(path);
		expect(answer.status).toBe(200);
		expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(answer.headers.get("cache-control")).toBe("no-cache");
		expect(await answer.text()).toBe(html);
	},
);

test.each(["/", "/login"])(
	"%s is sent uncompressed to a client that accepts no compression",
	async (path) => {
		const answer = await get(path, { "accept-encoding": "identity" });
		expect([answer.status, await answer.text()]).toEqual([200, html]);
	},
);

test.each([
	["br, gzip;q=0.5", "br"],
	["gzip, deflate", "gzip"],
	["br;q=0, gzip;q=1.0", "gzip"],
	["br;q=0.0", null],
	["brotli", null],
])("a client that accepts %j gets the page with the coding %s", async (accepted, coding) => {
	const answer = await get("/login", { "accept-encoding": accepted });
	expect(answer.headers.get("content-encoding")).toBe(coding);
	expect(answer.headers.get("vary")).toBe("accept-encoding");
	expect(await answer.text()).toBe(html);
});

test("an unchanged page is answered with 304", async () => {
	const etag = (await get("/login")).headers.get("etag") ?? "";
	const again = await get("/login", { "if-none-match": etag });
	expect([again.status, await again.text()]).toEqual([304, ""]);
});

test("the policy of a page allows its inline script by hash, the given origins, and no frames", async () => {
	const policy = (await get("/login")).headers.get("content-security-policy") ?? "";
	const hash = createHash("sha256").update(script).digest("base64");
	expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
	expect(policy).toContain("connect-src 'self' http://localhost:4000 https://auth.example;");
	expect(policy).toContain("frame-ancestors 'none'");
	expect(policy).not.toContain("unsafe-");
});

test("the document for previews runs nothing, is framed by its own pages only, and allows inline styles", async () => {
	const { status, headers } = await get("/preview-frame.html");
	const policy = headers.get("content-security-policy") ?? "";
	expect([status, headers.get("x-frame-options")]).toEqual([200, "SAMEORIGIN"]);
	expect(policy).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; img-src data: https: http:/);
	expect(policy).toContain("frame-ancestors 'self'; sandbox allow-same-origin");
	expect(policy).not.toMatch(/script|connect/);
	expect((await get("/login")).headers.get("content-security-policy")).toContain("frame-src 'self'");
});

test.each(["/", "/settings.json", "/assets/page-3f2a.js", "/assets/gone.js", "/healthz"])(
	"%s carries the security headers",
	async (path) => {
		const { headers } = await get(path);
		expect(headers.get("x-content-type-options")).toBe("nosniff");
		expect(headers.get("referrer-policy")).toBe("no-referrer");
		expect(headers.get("x-frame-options")).toBe("DENY");
		expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
		expect(headers.get("permissions-policy")).toContain("camera=()");
		expect(headers.get("content-security-policy")).toContain("default-src 'none'");
		expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
	},
);

test("a file under /assets is cached for a year, any other file is revalidated", async () => {
	const asset = await get("/assets/page-3f2a.js");
	expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
	expect(asset.headers.get("content-type")).toContain("javascript");
	expect((await get("/favicon.svg")).headers.get("cache-control")).toBe("no-cache");
});

test("a precompressed file is sent compressed to a client that accepts it", async () => {
	const asset = await get("/assets/page-3f2a.js", { "accept-encoding": "gzip" });
	expect(asset.headers.get("content-encoding")).toBe("gzip");
	expect(await asset.text()).toBe("export const gate = 1;");
	const plain = await get("/assets/page-3f2a.js", { "accept-encoding": "identity" });
	expect(plain.headers.get("content-encoding")).toBeNull();
});

test.each(["/assets/gone.js", "/assets/", "/assets", "/gone.png", "/.env", "/%2e%2e/secret.txt", "/a//b.js"])(
	"%s is not found, and is not answered with the page",
	async (path) => {
		const answer = await get(path);
		expect(answer.status).toBe(404);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(await answer.json()).toEqual({
			error: "Page not found.",
			code: "not_found",
			request_id: answer.headers.get("x-request-id"),
		});
	},
);

test.each(["/../package.json", "/assets/../../package.json", "/assets/..%2f..%2fpackage.json", "/%00.js"])(
	"%s, sent without normalization, does not leave the folder",
	async (path) => {
		expect(await statusOf(path)).toMatch(/^HTTP\/1\.1 (400|404) /);
	},
);

test.each([
	["/%zz", 400],
	["/assets/%ff.js", 400],
	[`/${"a".repeat(500)}`, 404],
	[`/assets/${"a".repeat(500)}.js`, 404],
])("%s is refused with the platform's error format", async (path, status) => {
	const answer = await get(path);
	expect(answer.status).toBe(status);
	expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
	expect(await answer.json()).toEqual({
		error: expect.any(String),
		code: status === 404 ? "not_found" : "invalid_input",
		request_id: answer.headers.get("x-request-id"),
	});
});

test("a slow request is answered 408, and connections over the limit are closed", async () => {
	const limits = { headersTimeoutMs: 200, requestTimeoutMs: 400, connectionsMax: 2 };
	const own = await startPages({ name: "own", folder, port: 0, settings: {}, connect: [], limits });
	const { port } = new URL(own.url);
	const open = (text: string) => {
		const socket = connect({ port: Number(port), host: "localhost" }, () => socket.write(text));
		return new Promise<string>((resolve) => {
			let answer = "";
			socket.on("data", (bytes) => {
				answer += bytes;
			});
			socket.on("error", () => {});
			socket.on("close", () => resolve(answer));
		});
	};
	try {
		const half = "GET / HTTP/1.1\r\nhost: x\r\nx-";
		const answers = await Promise.all([open(half), open(half), open(half)]);
		expect(answers.map((answer) => answer.slice(0, 12)).sort()).toEqual(["", "HTTP/1.1 408", "HTTP/1.1 408"]);
	} finally {
		await own.close();
	}
});

test("the settings are read at run time and are not cached", async () => {
	const answer = await get("/settings.json");
	expect(answer.headers.get("cache-control")).toBe("no-cache");
	expect(await answer.json()).toEqual({ authUrl: "http://localhost:4000" });
});

test("the health check answers", async () => {
	expect(await (await get("/healthz")).json()).toEqual({ status: "ok" });
});

test("methods other than GET and HEAD are refused with an Allow header", async () => {
	const answer = await fetch(`${pages.url}/login`, { method: "POST", body: "x" });
	expect(answer.status).toBe(405);
	expect(answer.headers.get("allow")).toBe("GET, HEAD");
	expect(await answer.json()).toMatchObject({ code: "method_not_allowed" });
});

test("a new build is served without a restart, with a matching policy", async () => {
	const own = await mkdtemp(join(tmpdir(), "lango-pages-"));
	await writeFile(join(own, "index.html"), html);
	const running = await startPages({ name: "own", folder: own, port: 0, settings: {}, connect: [] });
	try {
		await fetch(running.url);
		await writeFile(join(own, "index.html"), "<script>second()</script>");
		await utimes(join(own, "index.html"), new Date(), new Date(Date.now() + 5000));
		const answer = await fetch(running.url);
		expect(await answer.text()).toBe("<script>second()</script>");
		const hash = createHash("sha256").update("second()").digest("base64");
		expect(answer.headers.get("content-security-policy")).toContain(`'sha256-${hash}'`);
	} finally {
		await running.close();
		await rm(own, { recursive: true });
	}
});

test("a folder without built pages is refused with an error that says what to do", async () => {
	const folder = join(tmpdir(), "lango-no-such-folder");
	const starting = startPages({ name: "accounts", folder, port: 0, settings: {}, connect: [] });
	await expect(starting).rejects.toThrow(
		`accounts: there is no index.html in ${folder}. Build the pages first.`,
	);
});

test("an invalid origin is refused by name", async () => {
	const starting = startPages({
		name: "accounts",
		folder,
		port: 0,
		settings: {},
		connect: ["localhost:4000"],
	});
	await expect(starting).rejects.toThrow('connect: "localhost:4000" is not an http or https address.');
});

test("a port in use throws Node's own error", async () => {
	const port = Number(new URL(pages.url).port);
	const starting = startPages({ name: "second", folder, port, settings: {}, connect: [] });
	await expect(starting).rejects.toMatchObject({ code: "EADDRINUSE" });
});

/** Returns the status line for a path that fetch would normalize before sending. */
function statusOf(path: string): Promise<string> {
	const { port, hostname } = new URL(pages.url);
	return new Promise((answered, failed) => {
		const socket = connect({ port: Number(port), host: hostname });
		socket.on("error", failed);
		socket.on("data", (bytes) => {
			answered(bytes.toString().split("\r\n", 1)[0] ?? "");
			socket.destroy();
		});
		socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
	});
}
