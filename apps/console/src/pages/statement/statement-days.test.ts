import { expect, test } from "vitest";
import { completeDays, faultOfDays } from "./statement-days.ts";

test.each([
	[
		{ from: "", to: "" },
		{ from: "2026-10-28", to: "2026-11-26" },
	],
	[
		{ from: "", to: "2026-03-01" },
		{ from: "2026-01-31", to: "2026-03-01" },
	],
	[
		{ from: "2026-11-01", to: "" },
		{ from: "2026-11-01", to: "2026-11-26" },
	],
])("the days %j are completed to 30 days until today", (entered, days) => {
	expect(completeDays(entered, "2026-11-26")).toEqual(days);
});

test.each([
	[{ from: "2026-11-26", to: "2026-11-26" }, undefined],
	[{ from: "2026-11-27", to: "2026-11-26" }, "reversed"],
	[{ from: "2025-01-01", to: "2026-02-04" }, undefined],
	[{ from: "2025-01-01", to: "2026-02-05" }, "tooLong"],
] as const)("the days %j are refused before the request: %o", (days, fault) => {
	expect(faultOfDays(days)).toBe(fault);
});
