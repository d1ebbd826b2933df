import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { totalOf } from "../src/index.ts";

const database = setUp(
	() => createTestDatabase({ name: "totals", sets: [] }),
	({ drop }) => drop(),
);
const numbers = "select n from generate_series(1, $1::int) n order by n limit $2";

test.each([
	["none", 0, 0],
	["10,000 exactly", 10_000, 10_000],
	["more as 10,001", 12_000, 10_001],
])("a total counts at most 10,000 rows: %s", async (_, size, total) => {
	const counted = totalOf(database.db, true, (tx, { limit }) => tx.query(numbers, [size, limit + 1]));
	expect(await counted).toEqual({ total });
});

test("a list is not counted unless its caller asked for the total", async () => {
	for (const isAsked of [false, undefined])
		expect(await totalOf(database.db, isAsked, () => Promise.reject(new Error("counted")))).toEqual({});
});

test("a list that reads with several statements cannot be counted", async () => {
	const twice = totalOf(database.db, true, async (tx, { limit }) => {
		await tx.query(numbers, [1, limit]);
		return tx.transaction((same) => same.query(numbers, [1, limit]));
	});
	await expect(twice).rejects.toThrow("a list to count has one statement, not 2");
});
