import { expect, test } from "vitest";
import { checkDays, readDays } from "./day-range.ts";

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
