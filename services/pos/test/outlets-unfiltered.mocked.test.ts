import { readFile } from "node:fs/promises";
import { buildService } from "@lango/chassis";
import type * as Postgres from "@lango/postgres";
import { openStand, printOutlets } from "@lango/testkit";
import { expect, test, vi } from "vitest";
import { pos } from "../src/service.ts";
import { policy } from "./policy.ts";
import { encryptionKey, posUrl } from "./shop.ts";

// Runs every statement without the outlet filter. The tables of this service have no outlet policy behind the
// filter.
vi.mock("@lango/postgres", async (original) => ({
	...(await original<typeof Postgres>()),
	withinOutlets: (_column: string, parameter: string) => `(${parameter}::uuid[] is null or true)`,
}));

/** The distinct routes whose cells differ. */
function differingRoutes(reviewed: string, printed: string): string[] {
	const linesOf = (text: string) => text.split("\n").map((line) => line.replaceAll(/ +/g, " ").trim());
	const [before, after] = [linesOf(reviewed), linesOf(printed)];
	const routes = before
		.filter((line, index) => line !== after[index])
		.map((line) => line.split(" ").slice(0, 2));
	return [...new Set(routes.map((route) => route.join(" ")))].sort();
}

test("the matrix in outlets.txt detects every list and change without the outlet filter", async () => {
	const environment = { POS_KEY_ENCRYPTION_KEYS: encryptionKey, POS_URL: posUrl };
	const stand = await openStand({ service: pos, build: buildService, environment });
	try {
		const reviewed = await readFile(new URL("outlets.txt", import.meta.url), "utf8");
		const at = (method: string, path: string) => `${method} /api/v1/:tenant/pos/${path}`;
		const lists = ["outlets", "roles/:code/assignments", "terminals"].map((path) => at("GET", path));
		const changes = ["roles/:code/assignments/:id", "terminals/:id"].map((path) => at("DELETE", path));
		// More may differ: a till signs in at another outlet when its outlet is looked up without the filter.
		const differing = differingRoutes(reviewed, await printOutlets(stand, policy));
		expect(differing).toEqual(expect.arrayContaining([...lists, ...changes]));
	} finally {
		await stand.close();
	}
}, 120_000);
