import { expect, test } from "vitest";
import { type Condition, matches, readPath, resolveMap } from "./trigger.ts";

const context = {
	event: { status: "pending", days: 3, at: "2026-11-23T08:00:00Z", none: null, list: [1] },
	tenant: { name: "Uhai" },
};

const tests: ReadonlyArray<[Condition["op"], string, unknown, boolean]> = [
	["eq", "event.status", "pending", true],
	["eq", "event.status", "active", false],
	["eq", "event.missing", "pending", false],
	["ne", "event.status", "active", true],
	["ne", "event.missing", "active", true],
	["gt", "event.days", 2, true],
	["gt", "event.days", 3, false],
	["gt", "event.days", "2", false],
	["gt", "event.at", "2026-11-22T00:00:00Z", true],
	["lt", "event.days", 4, true],
	["lt", "event.missing", 4, false],
	["in", "event.status", ["pending", "active"], true],
	["in", "event.status", "pending", false],
	["exists", "event.status", true, true],
	["exists", "event.none", true, false],
	["exists", "event.missing", false, true],
];
test.each(tests.map(([op, path, value, holds]) => ({ op, path, value, holds })))(
	"$op of $path and $value is $holds",
	({ holds, ...condition }) => {
		expect(matches([condition], context)).toBe(holds);
	},
);

test("all conditions must hold, and no condition always holds", () => {
	const pending: Condition = { path: "event.status", op: "eq", value: "pending" };
	expect(matches([], context)).toBe(true);
	expect(matches([pending, { path: "event.days", op: "gt", value: 9 }], context)).toBe(false);
});

test.each(["event.status.length", "event.constructor", "event.__proto__", "", "a.b.c.d.e.f.g.h.i"])(
	"the path %j leads to nothing",
	(path) => {
		expect(readPath(context, path)).toBeUndefined();
	},
);

test("a variable comes from a path, a constant, an amount or a page, and is left out without a value", () => {
	const formatters = {
		money: (minor: number, code: string) => `${code} ${minor / 100}`,
		page: (path: string) => `https://c${path}`,
	};
	const values = resolveMap(
		{
			name: { from: "tenant.name" },
			kind: { value: "membership" },
			amount: { money: ["event.days", "event.status"] },
			action_link: { page: "/people" },
			gone: { from: "event.missing" },
			unpaid: { money: ["event.status", "event.status"] },
		},
		context,
		formatters,
	);
	expect(values).toEqual({
		name: "Uhai",
		kind: "membership",
		amount: "pending 0.03",
		action_link: "https://c/people",
	});
});
