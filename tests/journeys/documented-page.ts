import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";
import type { RunningPlatform } from "./running-platform.ts";

const root = resolve(import.meta.dirname, "../..");
const entry = "virtual:documented-page";

/**
 * The front end that docs/pages/front-end.md shows first, as a script: word for word, but that it talks to a
 * running platform and keeps its refresh token in the tab, as the same text says it may. It shows the
 * verdict, and is `globalThis.client` to a journey.
 */
export async function buildDocumentedPage(urls: RunningPlatform["urls"]): Promise<string> {
	const text = readFileSync(join(root, "docs/pages/front-end.md"), "utf8");
	const documented = /```ts\n([\s\S]*?)```/.exec(text)?.[1];
	if (documented === undefined) throw new Error("docs/pages/front-end.md shows no front end.");
	return bundle(
		[
			`import { tabStorage } from "@lango/client";`,
			`const shown = document.body.appendChild(document.createElement("main"));`,
			`const render = ({ go }) => { shown.textContent = go; };`,
			documented
				.replace("http://localhost:4000", urls.auth)
				.replace("http://localhost:4001", urls.subscriptions)
				.replace("http://localhost:4004", urls.hospital)
				.replace("createClient({", "createClient({ storage: tabStorage(),"),
			"globalThis.client = client;",
			"render(decidePage(client.getState(), {}));",
		].join("\n"),
	);
}

async function bundle(code: string): Promise<string> {
	const built = await build({
		configFile: false,
		root,
		logLevel: "error",
		plugins: [
			{
				name: "documented-page",
				resolveId: (id) => (id === entry ? join(root, "documented-page.js") : undefined),
				load: (id) => (id === join(root, "documented-page.js") ? code : undefined),
			},
		],
		build: {
			write: false,
			minify: false,
			target: "esnext",
			modulePreload: { polyfill: false },
			rolldownOptions: { input: entry },
		},
	});
	const [one] = Array.isArray(built) ? built : [built];
	if (one === undefined || !("output" in one)) throw new Error("nothing was built");
	return one.output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("");
}
