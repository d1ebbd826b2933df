import { expect, test } from "vitest";
import { isTimeZone, offsetAt } from "./time-zone.ts";

test.each([
	["Africa/Nairobi", true],
	["UTC", true],
	["Mars/Olympus", false],
	["+03:00", false],
	["", false],
])("%s is a time zone: %s", (name, expected) => {
	expect(isTimeZone(name)).toBe(expected);
});

test("the offset includes daylight saving time", () => {
	const hours = (at: string) => offsetAt("Europe/Berlin", Date.parse(at)) / 3_600_000;
	expect([hours("2026-01-01T00:00:00Z"), hours("2026-07-01T00:00:00Z")]).toEqual([1, 2]);
	expect(hours("2026-03-29T00:59:59.999Z")).toBe(1);
	expect(hours("2026-03-29T01:00:00Z")).toBe(2);
});
