import { expect, test } from "vitest";
import { isPayable, type Payable, pollFor } from "./payable.queries.ts";

const payableWith = (change: object) =>
	({ status: "requires_payment", is_over: false, latest_attempt: null, ...change }) as unknown as Payable;
const over = { is_over: true };
const attemptThatIs = (status: string) => ({ latest_attempt: { channel: "push", status } });

test.each([
	["open", {}, true],
	["open, and its last attempt failed", attemptThatIs("failed"), true],
	["over", over, false],
	["over, and paid in part by money that came late", { ...over, status: "partially_paid" }, false],
	["over, and its last attempt failed", { ...over, ...attemptThatIs("failed") }, false],
	["over, while an attempt may still pay it", { ...over, ...attemptThatIs("awaiting") }, true],
	["paid", { status: "succeeded" }, false],
	["expired", { ...over, status: "expired" }, false],
])("a request that is %s is read again only if it can still be paid", (_what, change, expected) => {
	const payable = payableWith(change);
	expect([isPayable(payable), pollFor(payable) !== false]).toEqual([expected, expected]);
});

test("once the time is over, a request is read again less often", () => {
	const late = pollFor(payableWith({ ...over, ...attemptThatIs("awaiting") }));
	expect(Number(late)).toBeGreaterThan(Number(pollFor(payableWith({}))));
});
