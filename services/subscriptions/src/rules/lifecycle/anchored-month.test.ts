import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { monthsAfter } from "./anchored-month.ts";

const zones = ["Africa/Nairobi", "America/New_York", "Pacific/Auckland"];
const from = (text: string, timeZone = "Africa/Nairobi") => ({ anchorAt: new Date(text), timeZone });
const formats = new Map(
	[...zones].map((timeZone) => [
		timeZone,
		new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" }),
	]),
);
const localIn = (timeZone: string, at: Date) => formats.get(timeZone)?.format(at) ?? "";

describe("months are counted from the anchor", () => {
	test.each([
		[1, "2026-02-28T09:00:00.000Z"],
		[2, "2026-03-31T09:00:00.000Z"],
		[3, "2026-04-30T09:00:00.000Z"],
		[12, "2027-01-31T09:00:00.000Z"],
		[25, "2028-02-29T09:00:00.000Z"],
	])(
		"%i after 31 January is the last day of a short month, and the 31st again in a long one",
		(months, expected) => {
			expect(monthsAfter(from("2026-01-31T09:00:00Z"), months).toISOString()).toBe(expected);
		},
	);

	test("the day is taken in the tenant's time zone, not in UTC", () => {
		// 22:30 UTC on the 30th is the 31st in Nairobi.
		expect(monthsAfter(from("2026-01-30T22:30:00Z"), 1).toISOString()).toBe("2026-02-27T22:30:00.000Z");
		expect(monthsAfter(from("2026-01-30T22:30:00Z"), 2).toISOString()).toBe("2026-03-30T22:30:00.000Z");
	});

	test("the local time of day stays the same across a clock change", () => {
		expect(monthsAfter(from("2026-02-15T14:00:00Z", "America/New_York"), 1).toISOString()).toBe(
			"2026-03-15T13:00:00.000Z",
		);
	});

	test("a local time skipped by a clock change is moved one hour later", () => {
		// New York goes from 2:00 to 3:00 on 8 March 2026.
		expect(monthsAfter(from("2026-02-08T07:30:00Z", "America/New_York"), 1).toISOString()).toBe(
			"2026-03-08T07:30:00.000Z",
		);
	});

	test("a local time that occurs twice is resolved to the first one", () => {
		// New York has 1:30 twice on 1 November 2026.
		expect(monthsAfter(from("2026-10-01T05:30:00Z", "America/New_York"), 1).toISOString()).toBe(
			"2026-11-01T05:30:00.000Z",
		);
	});
});

describe("over five years, for every anchor on the 28th to the 31st, in three time zones", () => {
	const anchors = fc.record({
		timeZone: fc.constantFrom(...zones),
		day: fc.integer({ min: 28, max: 31 }),
		month: fc.constantFrom(0, 2, 4, 6, 7, 9, 11),
		second: fc.integer({ min: 0, max: 86_399 }),
	});

	test("each period ends where the next begins, and falls on the anchor's day or the last day of the month", () => {
		fc.assert(
			fc.property(anchors, ({ timeZone, day, month, second }) => {
				const anchorAt = new Date(Date.UTC(2026, month, day) + second * 1_000);
				const wantedDay = Number(localIn(timeZone, anchorAt).slice(8, 10));
				let before = anchorAt;
				for (let number = 1; number <= 60; number += 1) {
					const end = monthsAfter({ anchorAt, timeZone }, number);
					const days = (end.getTime() - before.getTime()) / 86_400_000;
					expect(days).toBeGreaterThan(27.9);
					expect(days).toBeLessThan(31.1);
					const local = localIn(timeZone, end);
					const [year, monthOf] = [Number(local.slice(0, 4)), Number(local.slice(5, 7))];
					const last = new Date(Date.UTC(year, monthOf, 0)).getUTCDate();
					expect(Number(local.slice(8, 10))).toBe(Math.min(wantedDay, last));
					before = end;
				}
				const fiveYears = localIn(timeZone, before).slice(0, 7);
				expect(fiveYears).toBe(
					localIn(timeZone, anchorAt).slice(0, 7).replace("2026", "2031").replace("2027", "2032"),
				);
			}),
			{ numRuns: 60 },
		);
	}, 60_000);
});
