import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { english as texts } from "../texts/english.ts";
import { swahili } from "../texts/swahili.ts";
import { explainRefusal, waitIn } from "./explain-refusal.ts";
import { request } from "./request.ts";

const now = Date.parse("2026-02-01T12:00:00Z");

beforeEach(() => vi.useFakeTimers({ now, toFake: ["Date"] }));
afterEach(() => {
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

/** Explains an error response with this body. */
async function explain(body: unknown, headers: Record<string, string> = {}) {
	vi.stubGlobal("fetch", async () => new Response(JSON.stringify(body), { status: 400, headers }));
	const failure: unknown = await request("https://id.example").catch((error: unknown) => error);
	return explainRefusal(failure as Error, texts);
}

test("the text for wrong credentials does not reveal which value is wrong, and focuses the password", async () => {
	expect(await explain({ error: "…", code: "invalid_credentials", request_id: "r-1" })).toEqual({
		message: "The e-mail address or the password is wrong. Check both and try again.",
		field: "password",
	});
});

test.each([
	["email", "email", "a valid e-mail address"],
	["password", "password", "a valid password"],
	["organization.slug", "slug", "lowercase letters"],
	["organization.name", "organization_name", "a valid name"],
	["selected_plan", undefined, "Check it and try again"],
	["toString", undefined, "Check it and try again"],
])("an invalid %s focuses the field %s", async (field, pointed, words) => {
	const { message, ...rest } = await explain({ error: "…", code: "invalid_input", field });
	expect(rest.field).toBe(pointed);
	expect(message).toContain(words);
});

test.each([
	["email_taken", "email", "sign in instead"],
	["slug_taken", "slug", "Choose another"],
	["slug_reserved", "slug", "Choose another"],
	["name_reserved", "organization_name", "Choose another"],
	["password_wrong", "current_password", "Check it"],
	["tenant_not_found", "tenant_slug", "ask a colleague"],
	["join_refused", "tenant_slug", "only by invitation"],
	["invitation_invalid", undefined, "Request a new one"],
	["link_invalid", undefined, "Request a new one"],
])("%s focuses the field %s and says what to do", async (code, field, words) => {
	const explained = await explain({ error: "…", code });
	expect(explained.field).toBe(field);
	expect(explained.message).toContain(words);
});

test("a weak password focuses the field in the response", async () => {
	expect((await explain({ code: "password_weak", field: "new_password" })).field).toBe("new_password");
});

test.each([
	["rate_limited", "90", "Too many attempts. Wait 2 minutes, then try again."],
	["too_many_attempts", "90", "Too many attempts. Wait 2 minutes, then try again."],
	["rate_limited", "Sun, 01 Feb 2026 12:00:20 GMT", "Too many attempts. Wait 20 seconds, then try again."],
	["rate_limited", "soon", "Too many attempts. Wait a minute, then try again."],
	["unavailable", "1", "Sign-in is busy at the moment. Wait 1 second, then try again."],
	["too_many_sign_ins", "1", "Sign-in is busy at the moment. Wait 1 second, then try again."],
	["sign_in_busy", "1", "Sign-in is busy at the moment. Wait 1 second, then try again."],
])("%s with Retry-After %s says how long to wait", async (code, retryAfter, message) => {
	const explained = await explain({ error: "…", code }, { "retry-after": retryAfter });
	expect(explained.message).toBe(message);
	const isCounted = explained.counted !== undefined;
	expect(isCounted).toBe(retryAfter !== "soon");
});

test.each([
	[undefined, "a minute", "dakika moja"],
	[0, "1 second", "sekunde 1"],
	[59, "59 seconds", "sekunde 59"],
	[60, "1 minute", "dakika 1"],
	[61, "2 minutes", "dakika 2"],
	[3600, "60 minutes", "dakika 60"],
])("a wait of %s seconds is %s, in Swahili %s", (seconds, words, maneno) => {
	expect(waitIn(seconds, texts)).toBe(words);
	expect(waitIn(seconds, swahili)).toBe(maneno);
});

test.each([
	[{ code: "internal", request_id: "r-7" }],
	[{ code: "reference", request_id: "r-7" }],
	["<html>"],
	[undefined],
	[{ code: 5 }],
	[null],
])("an unknown response, %j, gets the general text and the reference", async (body) => {
	expect(await explain(body, { "x-request-id": "r-7" })).toEqual({
		message: "Something went wrong on our side. Try again in a minute.",
		reference: "If it happens again, give support this reference: r-7",
	});
});

test("an error of the page gets the general text", () => {
	expect(explainRefusal(new TypeError("x is undefined"), texts).message).toContain("on our side");
});

test.each(["tenant_inactive", "unreachable", "late"])("%s says what to do", async (code) => {
	expect((await explain({ code })).message).toMatch(/Ask its administrator|Check your connection/);
});
