import { ClientError } from "@lango/client";
import { expect, test } from "vitest";
import { explain } from "./explain.ts";
import { tables } from "./texts.ts";

const texts = tables.en;
const { errors } = texts;
const say = (error: unknown, messages = {}) => explain(error, { texts, messages });
const refused = (code: string, status: number, more = {}) => new ClientError(code, { status, ...more });

test.each([
	["a subscription that is not active", refused("subscription_inactive", 403), errors.upgrade],
	["a feature the plan lacks", refused("feature_unavailable", 403), errors.feature_unavailable],
	["a missing permission", refused("forbidden", 403), errors.unauthorized],
	["a network that fails", new ClientError("unreachable"), errors.unreachable],
	["a deleted entity", refused("invitation_not_found", 404), errors.not_found],
	["a version that changed", refused("subscription_changed", 409), errors.conflict],
	["an error of a service", refused("internal", 500), `${errors.unavailable} ${texts.retryLater}`],
	["a bug of ours", new Error("x"), errors.unknown],
])("%s has its own message", (_what, error, message) => {
	expect(say(error).message).toBe(message);
});

test("the page's messages take precedence over the general ones", () => {
	expect(say(refused("slug_taken", 409), { slug_taken: "Take another." }).message).toBe("Take another.");
});

test("a page's message for the reason of a refusal takes precedence over that for its code", () => {
	const messages = { "rule_invalid.name_used": "Take another name.", rule_invalid: "Not valid." };
	const refusedFor = (reason?: string) => refused("rule_invalid", 400, { body: { reason } });
	expect(say(refusedFor("name_used"), messages).message).toBe("Take another name.");
	expect(say(refusedFor("other"), messages).message).toBe("Not valid.");
	expect(say(refusedFor(), messages).message).toBe("Not valid.");
});

test("the message names an invalid field", () => {
	const failure = say(refused("invalid_input", 400, { body: { field: "email" } }));
	expect(failure).toMatchObject({ message: texts.invalidField("email"), field: "email" });
});

test("an error that only support can resolve has the request's reference; others do not", () => {
	expect(say(refused("internal", 500, { requestId: "r-1" })).reference).toBe(texts.reference("r-1"));
	expect(say(refused("forbidden", 403, { requestId: "r-1" })).reference).toBeUndefined();
});

test("the plans are offered only if the subscription is the cause", () => {
	expect(say(refused("subscription_inactive", 403)).isUpgrade).toBe(true);
	expect(say(refused("forbidden", 403)).isUpgrade).toBe(false);
});

test("the service's retry delay is counted down, or part of the text", () => {
	const failure = say(refused("rate_limited", 429, { retryAfterSeconds: 30 }));
	expect(failure).toMatchObject({ message: errors.rate_limited, retryAfterSeconds: 30 });
	expect(failure.text).toBe(`${errors.rate_limited} ${texts.retryIn(30)}`);
});

test("an error that passes says to try again in a moment where the service names no time", () => {
	const messages = { gateway_unavailable: "No answer." };
	const failure = (more = {}) => say(refused("gateway_unavailable", 503, more), messages).message;
	expect(failure()).toBe(`No answer. ${texts.retryLater}`);
	expect(failure({ retryAfterSeconds: 5 })).toBe("No answer.");
	expect(say(refused("slug_taken", 409), { slug_taken: "Taken." }).message).toBe("Taken.");
});
