import { buildService } from "@lango/chassis";
import type * as Postgres from "@lango/postgres";
import { callOutletMatrix, type OutletBlock, openStand } from "@lango/testkit";
import { expect, test, vi } from "vitest";
import { ordering } from "../src/service.ts";
import { withCustomers } from "./policy.ts";

/** The real filter, until a test removes it from the statements on orders. */
const { filter } = vi.hoisted(() => ({ filter: { isLeftOut: false } }));
vi.mock("@lango/postgres", async (original) => {
	const real = await original<typeof Postgres>();
	const withinOutlets: typeof real.withinOutlets = (column, parameter) =>
		filter.isLeftOut && column !== "a.outlet_id"
			? `(${parameter}::uuid[] is null or true)`
			: real.withinOutlets(column, parameter);
	return { ...real, withinOutlets };
});

/**
 * The matrix of orders at an outlet. Rows without an outlet are in every scope; only the filter excludes them
 * if a header names one.
 */
async function ordersMatrix(isLeftOut: boolean): Promise<string[]> {
	filter.isLeftOut = isLeftOut;
	const plan = { limits: { max_orders_per_day: -1 } };
	const stand = await openStand({ service: ordering, build: buildService, plan });
	try {
		return (await callOutletMatrix(stand, { ...withCustomers, only: /\/orders\b/ })).flatMap(linesOf);
	} finally {
		await stand.close();
	}
}
const linesOf = ({ role, lines }: OutletBlock) =>
	lines
		.filter(({ line }) => /\/orders\b.* [MF]$|GET .*\/orders -$/.test(line))
		.map(({ line, cells }) => `${role} ${line}: ${cells.join(", ")}`);
const withoutRowsOfNone = (lines: readonly string[]) =>
	lines.map((line) => line.replaceAll(/(?<=\d) ?([MSF]*)-/g, " $1"));

test("statements on orders without the filter cannot read or change orders of another outlet", async () => {
	const [filtered, unfiltered] = [await ordersMatrix(false), await ordersMatrix(true)];
	expect(unfiltered.length).toBeGreaterThan(20);
	expect(unfiltered, "the filter is left out").not.toEqual(filtered);
	const [expected, seen] = [filtered, unfiltered].map((lines) =>
		withoutRowsOfNone(lines)
			.join("\n")
			.replaceAll(/ +(?=,|$)/gm, ""),
	);
	expect(seen).toBe(expected);
}, 240_000);
