import { expect, test } from "vitest";
import { dayAt } from "../tenant/day-in-zone.ts";
import { checkDays, readDays, withinLastDay } from "./day-range.ts";

const words = { dayMissing: "missing", reversed: "reversed" };
function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
}

test.each([
	[
		{},
		[
			{ message: "missing", field: "from" },
			{ message: "missing", field: "to" },
		],
	],
	[{ from: "2026-11-26" }, [{ message: "missing", field: "to" }]],
	[{ from: "2026-11-26", to: "2026-11-25" }, [{ message: "reversed", field: "from" }]],
])("the days %j are refused at their fields", (fields, errors) => {
	expect(checkDays(entered(fields), words)).toEqual(errors);
});

test("both days are whole days of the time zone", () => {
	const form = entered({ from: "2026-11-25", to: "2026-11-26" });
	expect(checkDays(form, words)).toEqual([]);
	expect(readDays(form, "Africa/Nairobi")).toEqual({
		...{ from: "2026-11-24T21:00:00.000Z", to: "2026-11-26T21:00:00.000Z" },
	});
});

test.each([
	["entered days", { from: "2026-11-24T21:00:00.000Z", to: "2026-11-26T21:00:00.000Z" }, "2026-11-26"],
	["a part of a day", { from: "2026-11-25T06:00:00.000Z", to: "2026-11-28T06:00:00.000Z" }, "2026-11-28"],
	["a moment", { from: "2026-11-24T21:00:00.000Z", to: "2026-11-24T21:00:00.000Z" }, "2026-11-25"],
])("the last day of %s is the one that is shown", (_what, range, day) => {
	expect(dayAt(withinLastDay(range), "Africa/Nairobi")).toBe(day);
});
