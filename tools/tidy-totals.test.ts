/** Lists in pages offer their total (`TotalQuery`), and the console shows it; but for these. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FastifySchema } from "fastify";
import { expect, test } from "vitest";
import { parts } from "./up.ts";

const audit = "the page merges the logs of several services";
const whole = "a page that shows it loads all of it, and counts that";
const program = "for programs; no page shows it";

/** The end of the address of a list without a total, and why. */
const uncounted: Readonly<Record<string, string>> = {
	"/audit": audit,
	"/roles": whole,
	"/permissions": whole,
	"/triggers": whole,
	"/templates": whole,
	"/plans": whole,
	"/add-ons": whole,
	"/auth/sessions": whole,
	"/config": program,
	"/config/entries": program,
	"/tenants/:id/recipients": program,
	"/people/:user_id/export": program,
	"/admin/people": program,
	"/platform/accounts": program,
	"/platform/accounts/:id/postings": program,
	"/menu/items": program,
	"/menu/categories": program,
	"/cafes": program,
	"/catalog/items": program,
	"/pos/terminals": program,
	"/pos/staff": program,
	"/pos/outlets": program,
	"/auth/pin/profile": program,
	"/statement": "it ends with a balance",
};

/** The pages of the console whose list is not counted, and why. */
const uncountedPages: Readonly<Record<string, string>> = {
	"failures/dead-jobs.tsx": "its queue is read in pages only",
	"failures/dead-letters.tsx": "its queue is read in pages only",
	"statement/statement-page.tsx": "it ends with a balance",
};

test("a list in pages offers its total, but for those that are named here", () => {
	const found = parts.services.flatMap(({ service }) =>
		service.routes
			.flatMap((group) => group({ name: service.name }))
			.filter(({ schema }) => isUncounted((schema as FastifySchema).querystring))
			.map(({ url }) => url),
	);
	const isNamed = (url: string) => Object.keys(uncounted).some((end) => url.endsWith(end));
	expect(found.filter((url) => !isNamed(url))).toEqual([]);
	const unused = Object.keys(uncounted).filter((end) => !found.some((url) => url.endsWith(end)));
	expect(unused, "remove it").toEqual([]);
});

function isUncounted(querystring: unknown): boolean {
	const { cursor, total } = (querystring as { properties?: Record<string, unknown> })?.properties ?? {};
	return cursor !== undefined && total === undefined;
}

test("a page shows the total of its list, but for those that are named here", () => {
	const pages = fileURLToPath(new URL("../apps/console/src/pages", import.meta.url));
	const sources = globSync("**/*.tsx", { cwd: pages }).map(
		(path) => [path, readFileSync(`${pages}/${path}`, "utf8")] as const,
	);
	const found = sources.filter(([, text]) => text.includes("hasTotal: false")).map(([path]) => path);
	expect(found.toSorted()).toEqual(Object.keys(uncountedPages));
	const pagers = sources.filter(([, text]) => text.includes("<Pager"));
	expect(pagers.length).toBeGreaterThan(0);
	expect(pagers.filter(([, text]) => !/<Pager\b[^>]*\btotal\b/.test(text))).toEqual([]);
});
