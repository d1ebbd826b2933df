import { expect, test } from "vitest";
import { expectedOf, fileOf, paymentAt, paymentsOf, planted, plantedEach, positionsOf } from "./stated.ts";

const statement = { first: 1_000, lines: 100, startsAt: Date.UTC(2026, 0, 5) };
const payments = Array.from({ length: paymentsOf(statement.lines) }, (_, position) =>
	paymentAt(statement, position),
);

test("a statement has as many lines as it should, and so many payments differ as are planted", () => {
	const lines = fileOf(statement).toString().trim().split("\n").slice(1);
	expect([lines.length, new Set(lines).size]).toEqual([100, 100]);
	expect(payments.filter(({ difference }) => difference !== undefined)).toHaveLength(plantedEach);
	for (const [kind, count] of Object.entries(planted))
		expect(positionsOf(statement.lines, kind as keyof typeof planted)).toHaveLength(count);
});

test("both sides of a payment are equal unless a difference is planted", () => {
	const differing = payments.filter(({ ours, theirs }) => ours !== theirs);
	expect(differing.map(({ difference }) => difference)).not.toContain(undefined);
	expect(differing).toHaveLength(plantedEach);
	expect(
		differing.map(({ ours, theirs }) => theirs !== undefined && ours !== undefined && theirs - ours),
	).toEqual([1n, -1n, 10_000n, false, false, false, false]);
});

test("a line of another amount raises two exceptions, and everything else that differs one", () => {
	const expected = expectedOf(statement);
	expect(expected).toHaveLength(plantedEach + planted.amount);
	expect(new Set(expected).size).toBe(expected.length);
	expect(expected.filter((one) => one.startsWith("late:"))).toHaveLength(
		planted.amount + planted.missing_there,
	);
});
