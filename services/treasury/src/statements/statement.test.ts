import { describe, expect, test } from "vitest";
import { dayIn, daysOf, lengthOf, toDecimal } from "./statement.ts";

describe("the days of a statement", () => {
	test("are the last thirty if none is given, today included", () => {
		const days = daysOf({}, "2027-03-01");
		expect(days).toEqual({ from: "2027-01-31", to: "2027-03-01" });
		expect(days && lengthOf(days)).toBe(30);
	});

	test("end at the given day, and begin 29 days earlier", () => {
		expect(daysOf({ to: "2028-03-01" }, "2029-01-01")).toEqual({ from: "2028-02-01", to: "2028-03-01" });
	});

	test("may be one day, and not less", () => {
		expect(daysOf({ from: "2027-03-01" }, "2027-03-01")).toEqual({ from: "2027-03-01", to: "2027-03-01" });
		expect(daysOf({ from: "2027-03-02" }, "2027-03-01")).toBeUndefined();
	});

	test("are counted with both ends, over a change of the clocks", () => {
		expect(lengthOf({ from: "2027-03-01", to: "2028-04-03" })).toBe(400);
	});

	test("are those of the time zone", () => {
		const at = new Date("2027-02-28T22:30:00Z");
		expect([dayIn("Africa/Nairobi", at), dayIn("UTC", at)]).toEqual(["2027-03-01", "2027-02-28"]);
	});
});

test.each([
	[123_456n, "KES", "1234.56"],
	[-3_500n, "KES", "-35.00"],
	[5n, "KES", "0.05"],
	[0n, "KES", "0.00"],
	[-1_234n, "UGX", "-1234"],
	[9_007_199_254_740_993n, "KES", "90071992547409.93"],
])("%s lowest units of %s are %s", (amount, currency, text) => {
	expect(toDecimal(amount, currency)).toBe(text);
});
