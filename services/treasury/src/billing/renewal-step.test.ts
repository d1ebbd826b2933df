import { expect, test } from "vitest";
import type { Attempt } from "../payments/attempt.ts";
import { nextStep, type Renewal } from "./renewal-step.ts";

const hour = 3_600_000;
const askedAt = new Date("2031-03-03T08:00:00Z");
const after = (ms: number) => new Date(askedAt.getTime() + ms);
const phone = "254712345678";

/** An attempt some hours after the asking. */
const attempt = (hours: number, change: Partial<Attempt> = {}): Attempt => ({
	...{
		tenantId: "t",
		id: "a",
		intentId: "i",
		seq: 1,
		amountMinor: 100n,
		channel: "push",
		custody: "platform",
	},
	...{ shortcode: "600100", status: "cancelled", reference: "pay-1", phone, merchantRequestId: null },
	...{ checkoutRequestId: null, accessCode: null, authorizationUrl: null, failureCode: null },
	...{ submittedAt: null, nextCheckAt: null, checks: 0, expiresAt: askedAt, createdAt: after(hours * hour) },
	...{ endedAt: null, ...change },
});

const stepAt = (hours: number, attempts: readonly Attempt[], change: Partial<Renewal> = {}) =>
	nextStep(
		{
			intent: { askedAt },
			phone,
			isByItself: false,
			payer: { timeZone: "UTC", isServed: true },
			isHalted: false,
			attempts,
			...change,
		},
		after(hours * hour),
	);

const rejected = { status: "rejected", failureCode: "unreachable" } as const;
const checkout = { channel: "checkout", status: "awaiting", phone: null } as const;
const ask = { do: "ask", phone };

test.each([
	["it was not asked yet", 0, []],
	["the gateway has refused three prompts", 1, [0, 0.1, 0.2].map((at) => attempt(at, rejected))],
	["a hosted page is open", 1, [attempt(0, checkout)]],
	["a person has tried three other phones", 4, [1, 2, 3].map((at) => attempt(at, { phone: "254799999999" }))],
	["it has not answered two prompts, the last of them four hours ago", 8, [attempt(0), attempt(4)]],
	["three prompts belong to an earlier asking", 0, [-12, -8, -4].map((at) => attempt(at))],
])("the phone is asked: %s", (_why, hours, attempts) => {
	expect(stepAt(hours, attempts)).toEqual(ask);
});

test.each([
	["four hours after a prompt", 1, [attempt(0)], 3 * 3_600],
	["half an hour after one that the gateway has refused", 0.25, [attempt(0, rejected)], 900],
	["while any phone shows a prompt", 5, [attempt(4.9, { status: "awaiting", phone: "254799999999" })], 300],
	["at most until 20 hours after the asking", 19.99, [attempt(19)], 36],
])("it waits %s", (_why, hours, ...[attempts, seconds]) => {
	expect(stepAt(hours, attempts)).toEqual({ do: "wait", seconds });
});

test.each([
	["three prompts have ended", 12, [0, 4, 8].map((at) => attempt(at)), "cancelled_by_payer"],
	["no prompt was sent in time", 20, [], "expired"],
	["the gateway has refused every prompt", 20, [attempt(1, rejected)], "refused"],
	["a hosted page is open after 20 hours", 20, [attempt(1, checkout)], "expired"],
	["a prompt has no known end after 20 hours", 20, [attempt(11, { status: "unknown" })], "expired"],
	["the last prompt has paid a part", 20, [attempt(11, { status: "succeeded" })], "expired"],
	["the account is empty", 20, [attempt(11, { status: "failed", failureCode: "1" })], "insufficient_funds"],
])("the asking has failed: %s", (_why, hours, ...[attempts, reason]) => {
	expect(stepAt(hours, attempts)).toEqual({ do: "fail", reason });
});

test("without a phone that can pay it the asking has failed at once", () => {
	expect(stepAt(0, [], { phone: undefined })).toEqual({ do: "fail", reason: "no_billing_method" });
});

test("a standing order has 48 hours to pay, whatever prompts were sent, and then the asking was not executed", () => {
	const isByItself = true;
	expect(stepAt(0, [], { isByItself, phone: undefined })).toEqual({ do: "wait", seconds: 3_600 });
	expect(stepAt(47.99, [attempt(1)], { isByItself })).toEqual({ do: "wait", seconds: 36 });
	expect(stepAt(48, [], { isByItself })).toEqual({ do: "fail", reason: "not_executed" });
});

test("at night it waits until 08:00 of the tenant", () => {
	expect(stepAt(0, [], { payer: { timeZone: "Pacific/Honolulu", isServed: true } })).toEqual({
		do: "wait",
		seconds: 10 * 3_600,
	});
});

test("while collections are halted the asking fails as halted after 20 hours, unless a prompt was sent before", () => {
	const isHalted = true;
	expect(stepAt(20, [], { isHalted })).toEqual({ do: "fail", reason: "halted" });
	expect(stepAt(20, [attempt(0)], { isHalted })).toEqual({ do: "fail", reason: "cancelled_by_payer" });
});
