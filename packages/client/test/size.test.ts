import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "../src");

/** Bundles the code like a page and returns its size after gzip. */
async function bundle(code: string): Promise<{ bytes: number; text: string }> {
	const entry = "virtual:page";
	const built = await build({
		configFile: false,
		logLevel: "error",
		plugins: [
			{
				name: "page",
				resolveId: (id) => (id === entry ? `\0${entry}` : undefined),
				load: (id) => (id === `\0${entry}` ? code : undefined),
			},
		],
		build: {
			write: false,
			modulePreload: { polyfill: false },
			rolldownOptions: { input: entry, external: ["react"] },
		},
	});
	const [one] = Array.isArray(built) ? built : [built];
	if (one === undefined || !("output" in one)) throw new Error("nothing was built");
	const text = one.output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("");
	return { bytes: gzipSync(text, { level: 9 }).length, text };
}

const all = `import * as client from "${join(source, "index.ts")}"; globalThis.client = client;`;

test("the client is at most 12 kB after gzip and contains no library", async () => {
	const { bytes, text } = await bundle(all);
	expect(bytes).toBeGreaterThan(2_000);
	expect(bytes).toBeLessThanOrEqual(12_000);
	expect(text).not.toMatch(/typebox|node:/i);
}, 60_000);

test("a bundle contains only what the page imports", async () => {
	const { bytes } = await bundle(
		`import { explainError } from "${join(source, "index.ts")}"; globalThis.explain = explainError;`,
	);
	expect(bytes).toBeGreaterThan(100);
	expect(bytes).toBeLessThan(1_000);
}, 60_000);

test("the hooks add at most 1.5 kB", async () => {
	const hooks = `${all} import * as react from "${join(source, "react/index.ts")}"; globalThis.hooks = react;`;
	const [without, withHooks] = [await bundle(all), await bundle(hooks)];
	expect(withHooks.bytes).toBeGreaterThan(without.bytes);
	expect(withHooks.bytes - without.bytes).toBeLessThanOrEqual(1_500);
}, 60_000);
