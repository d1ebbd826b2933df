import { describe, expect, test } from "vitest";
import { maskPhone, phonePattern, readPhone } from "./phone.ts";

describe("a Kenyan mobile number", () => {
	test.each([
		["0712345678", "254712345678"],
		["0112345678", "254112345678"],
		["+254712345678", "254712345678"],
		["254712345678", "254712345678"],
		["712345678", "254712345678"],
		["112345678", "254112345678"],
		["+254 712 345-678", "254712345678"],
		["(0712) 345.678", "254712345678"],
		[254_708_374_149, "254708374149"],
	])("%s is read as %s", (value, phone) => {
		expect(readPhone(value)).toBe(phone);
		expect(phone).toMatch(new RegExp(phonePattern));
	});

	test.each([
		["0812345678"],
		["071234567"],
		["07123456789"],
		["+255712345678"],
		["2540712345678"],
		["07123x5678"],
		[""],
		[undefined],
		[0],
	])("%s is not one", (value) => {
		expect(readPhone(value)).toBeUndefined();
	});

	test("is masked but for its kind and its last three digits", () => {
		expect(maskPhone("254712345678")).toBe("2547•••••678");
	});
});
