import { readFile } from "node:fs/promises";
import { buildService } from "@lango/chassis";
import type * as Postgres from "@lango/postgres";
import { openStand, parseOutlets, printOutlets } from "@lango/testkit";
import { expect, test, vi } from "vitest";
import { ordering } from "../src/service.ts";
import { withCustomers } from "./policy.ts";

// Runs every statement on orders without the outlet filter.
vi.mock("@lango/postgres", async (original) => {
	const real = await original<typeof Postgres>();
	const withinOutlets: typeof real.withinOutlets = (column, parameter) =>
		column === "a.outlet_id"
			? real.withinOutlets(column, parameter)
			: `(${parameter}::uuid[] is null or true)`;
	return { ...real, withinOutlets };
});

/** The matrix of orders without the filter. */
async function printUnfiltered(): Promise<string> {
	const plan = { limits: { max_orders_per_day: -1 } };
	const stand = await openStand({ service: ordering, build: buildService, plan });
	try {
		return await printOutlets(stand, { ...withCustomers, only: /\/orders\b/ });
	} finally {
		await stand.close();
	}
}
/**
 * The lines of orders at an outlet. Rows without an outlet are in every scope; only the filter excludes them
 * if a header names one.
 */
const linesOf = (text: string) =>
	parseOutlets(text)
		.filter(({ line }) => /\/orders\b.* [MF]$|GET .*\/orders -$/.test(line))
		.map(({ role, line, cells }) => `${role} ${line}: ${cells}`);
const withoutRowsOfNone = (lines: readonly string[]) =>
	lines.map((line) => line.replaceAll(/(?<=\d) ([MSF]*)-/g, " $1").replaceAll(/ +(?= |$)/g, ""));

test("statements on orders without the filter cannot read or change orders of another outlet", async () => {
	const reviewed = await readFile(new URL("outlets.txt", import.meta.url), "utf8");
	const [filtered, unfiltered] = [linesOf(reviewed), linesOf(await printUnfiltered())];
	expect(unfiltered.length).toBeGreaterThan(20);
	expect(unfiltered, "the filter is left out").not.toEqual(filtered);
	expect(withoutRowsOfNone(unfiltered).join("\n")).toBe(withoutRowsOfNone(filtered).join("\n"));
}, 240_000);
