import { expect, test } from "vitest";
import { daysUntil } from "./days-until.ts";

const now = new Date("2026-03-02T08:00:00Z");

test.each([
	["2026-03-02T08:00:00Z", 0],
	["2026-03-02T09:00:00Z", 1],
	["2026-03-03T08:00:00Z", 1],
	["2026-03-03T08:00:01Z", 2],
	["2026-03-02T07:59:59Z", -1],
])("the time until %s is %d days", (at, days) => {
	expect(daysUntil(at, now)).toBe(days);
});
