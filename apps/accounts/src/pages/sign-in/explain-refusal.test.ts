import { expect, test } from "vitest";
import { toRefusal } from "../../session/refusal.ts";
import { textsIn } from "../../texts.ts";
import { explainRefusal, waitIn } from "./explain-refusal.ts";

const texts = textsIn("en");
const now = Date.parse("2026-02-01T12:00:00Z");

const explain = (body: unknown, headers: Record<string, string> = {}) =>
	explainRefusal(toRefusal(body, { status: 400, headers: new Headers(headers) }, now), texts);

test("wrong credentials are said without telling which of the two is wrong, and the password is to mend", () => {
	expect(explain({ error: "…", code: "invalid_credentials", request_id: "r-1" })).toEqual({
		message: "The e-mail address or the password is wrong. Check both and try again.",
		field: "password",
	});
});

test.each([
	["email", "email", "an e-mail address"],
	["password", "password", "a password"],
	["tenant_slug", undefined, "Check what you entered"],
])("an invalid %s points to the field %s", (field, pointed, words) => {
	const { message, ...rest } = explain({ error: "…", code: "invalid_input", field });
	expect(rest.field).toBe(pointed);
	expect(message).toContain(words);
});

test.each([
	["rate_limited", "90", "Too many attempts. Wait 2 minutes, then try again."],
	["rate_limited", "Sun, 01 Feb 2026 12:00:20 GMT", "Too many attempts. Wait 20 seconds, then try again."],
	["rate_limited", "soon", "Too many attempts. Wait a minute, then try again."],
	["unavailable", "1", "Many people are signing in just now. Wait 1 second, then try again."],
])("%s with Retry-After %s says how long to wait", (code, retryAfter, message) => {
	expect(explain({ error: "…", code }, { "retry-after": retryAfter })).toEqual({ message });
});

test.each([
	[undefined, "a minute"],
	[0, "1 second"],
	[59, "59 seconds"],
	[60, "1 minute"],
	[61, "2 minutes"],
	[3600, "60 minutes"],
])("a wait of %s seconds is %s", (seconds, words) => {
	expect(waitIn(seconds, texts)).toBe(words);
});

test.each([[{ code: "internal", request_id: "r-7" }], ["<html>"], [undefined], [{ code: 5 }], [null]])(
	"an answer nobody told us about, %j, gets general words and the reference",
	(body) => {
		expect(explain(body, { "x-request-id": "r-7" })).toEqual({
			message: "Something went wrong on our side, and you are not signed in. Try again in a minute.",
			reference: "If it happens again, give support this reference: r-7",
		});
	},
);

test.each(["tenant_inactive", "unreachable"])("%s says what to do", (code) => {
	expect(explain({ code }).message).toMatch(/Ask its administrator|Check your connection/);
});
