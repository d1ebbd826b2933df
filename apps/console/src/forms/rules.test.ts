import { expect, test } from "vitest";
import { errorsOf } from "./rules.ts";

test("every field that breaks a rule has one error: that of its first broken rule", () => {
	const errors = errorsOf([
		[true, "name", "name is missing"],
		[false, "code", "code is missing"],
		[true, "code", "code is too long"],
		[true, "name", "name is too short"],
		[true, undefined, "nothing was changed"],
	]);
	expect(errors).toEqual([
		{ field: "name", message: "name is missing" },
		{ field: "code", message: "code is too long" },
		{ message: "nothing was changed" },
	]);
});

test("entries that break no rule have no error", () => {
	expect(errorsOf([[false, "name", "name is missing"]])).toEqual([]);
});
