import { expect, test } from "vitest";
import { type ShellScope, shellWorker } from "./shell-worker.ts";

const origin = "https://console.example";
const html = (text: string, etag: string) =>
	new Response(text, { headers: { "content-type": "text/html", etag } });

/** A browser with the worker. `network` is what the pages answer; without it there is no network. */
function openBrowser() {
	const listeners = new Map<string, Parameters<ShellScope["addEventListener"]>[1]>();
	const kept = new Map<string, Response>();
	const browser = {
		kept,
		network: undefined as ((url: string) => Response) | undefined,
		/** Returns the worker's answer; undefined if it leaves the request to the browser. */
		open: async (path: string, { method = "GET", mode = "navigate" } = {}) => {
			let answer: Promise<Response> | undefined;
			const request = { url: new URL(path, origin).href, method, mode } as Request;
			const respondWith = (response: Promise<Response>) => (answer = response);
			listeners.get("fetch")?.({ request, respondWith, waitUntil: () => {} });
			return (await answer)?.text();
		},
	};
	shellWorker({
		caches: {
			open: async () => ({
				match: async (key) => kept.get(key)?.clone(),
				put: async (key, response) => void kept.set(key, response),
			}),
			delete: async () => {
				kept.clear();
				return true;
			},
		},
		location: { origin },
		fetch: async (request) => {
			if (browser.network === undefined) throw new TypeError("Failed to fetch");
			return browser.network(typeof request === "string" ? request : request.url);
		},
		skipWaiting: async () => {},
		clients: { claim: async () => {} },
		addEventListener: (kind, listener) => void listeners.set(kind, listener),
	});
	return browser;
}

test("every address opens the kept page without a network, and the current one with it", async () => {
	const browser = openBrowser();
	browser.network = () => html("first", "1");
	expect(await browser.open("/uhai/people")).toBe("first");
	browser.network = undefined;
	expect(await browser.open("/uhai/outlets?page=2")).toBe("first");
	browser.network = () => html("second", "2");
	expect(await browser.open("/uhai")).toBe("second");
});

test("without a kept page the browser's own error is shown", async () => {
	await expect(openBrowser().open("/uhai")).rejects.toThrow("Failed to fetch");
});

test("a file is fetched once, and a new page drops the files of the one before", async () => {
	const browser = openBrowser();
	browser.network = (url) => (url.endsWith(".js") ? new Response("file") : html("first", "1"));
	await browser.open("/");
	await browser.open("/assets/a.js", { mode: "cors" });
	browser.network = undefined;
	expect(await browser.open("/assets/a.js", { mode: "cors" })).toBe("file");
	browser.network = () => html("first", "1");
	await browser.open("/");
	expect([...browser.kept.keys()]).toEqual(["/index.html", `${origin}/assets/a.js`]);
	browser.network = () => html("second", "2");
	await browser.open("/");
	expect([...browser.kept.keys()]).toEqual(["/index.html"]);
});

test.each([
	["the settings", "/settings.json", {}],
	["another document", "/preview-frame.html", {}],
	["a service", "https://auth.example/api/v1/auth/me", { mode: "cors" }],
	["a service at the same address", "/api/v1/auth/me", { mode: "cors" }],
	["a request that changes something", "/assets/a.js", { method: "POST" }],
])("a request for %s is left to the browser", async (_name, path, request) => {
	const browser = openBrowser();
	browser.network = () => html("first", "1");
	expect(await browser.open(path, request)).toBeUndefined();
	expect(browser.kept.size).toBe(0);
});

test.each([
	["an error", () => new Response("down", { status: 502, headers: { "content-type": "text/html" } })],
	["another type", () => Response.json({ status: "ok" })],
])("%s is not kept as the page", async (_name, network) => {
	const browser = openBrowser();
	browser.network = network;
	await browser.open("/healthz");
	expect(browser.kept.size).toBe(0);
});
