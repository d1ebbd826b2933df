import { expect, test } from "vitest";
import { dayAt, endOfDay, startOfDay } from "./day-in-zone.ts";

test.each([
	["2026-03-02", "Africa/Nairobi", "2026-03-01T21:00:00.000Z", "2026-03-02T21:00:00.000Z"],
	["2026-03-02", "UTC", "2026-03-02T00:00:00.000Z", "2026-03-03T00:00:00.000Z"],
	["2026-12-31", "Africa/Nairobi", "2026-12-30T21:00:00.000Z", "2026-12-31T21:00:00.000Z"],
	// Daylight saving time starts: this day has 23 hours.
	["2026-03-08", "America/New_York", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
	// Daylight saving time ends: 25 hours.
	["2026-11-01", "America/New_York", "2026-11-01T04:00:00.000Z", "2026-11-02T05:00:00.000Z"],
])("the day %s in %s starts at %s and ends at %s", (day, timeZone, ...moments) => {
	const found = [startOfDay(day, timeZone), endOfDay(day, timeZone)];
	expect(found.map((at) => at?.toISOString())).toEqual(moments);
});

test.each(["", "yesterday", "2026-13-01"])("%j is not a day", (text) => {
	expect(startOfDay(text, "UTC")).toBeUndefined();
	expect(endOfDay(text, "UTC")).toBeUndefined();
});

test.each([
	["2026-03-01T21:30:00Z", "Africa/Nairobi", "2026-03-02"],
	["2026-03-01T20:59:59Z", "Africa/Nairobi", "2026-03-01"],
	["2026-03-01T23:30:00.999Z", "UTC", "2026-03-01"],
	["2026-03-01T02:00:00Z", "America/New_York", "2026-02-28"],
])("at %s the day in %s is %s", (at, timeZone, day) => {
	expect(dayAt(new Date(at), timeZone)).toBe(day);
});
