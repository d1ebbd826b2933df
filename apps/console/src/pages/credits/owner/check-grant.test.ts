import { expect, test } from "vitest";
import { checkGrant } from "./check-grant.ts";

const words = { segmentsInvalid: "segments", missingReason: "reason" };
const check = (segments: string, reason = "welcome") => {
	const form = new FormData();
	form.set("segments", segments);
	form.set("reason", reason);
	return checkGrant(form, words).map((error) => error.field);
};

test.each(["", "0", "-0", "1.5", "ten", "10000001", "+5"])("%j segments are refused", (segments) => {
	expect(check(segments)).toEqual(["segments"]);
});

test.each(["1", "-5", "10000000"])("%j segments are accepted", (segments) => {
	expect(check(segments)).toEqual([]);
});

test("a grant needs a reason", () => {
	expect(check("0", "")).toEqual(["segments", "reason"]);
	expect(check("5", " ")).toEqual(["reason"]);
});
