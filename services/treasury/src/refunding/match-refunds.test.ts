import { expect, test } from "vitest";
import type { CardRefund } from "../gateways/card-gateway/refunds.ts";
import type { Refund } from "../refunds/refund.ts";
import { matchRefunds } from "./match-refunds.ts";

const ours = (id: string, more: Partial<Refund> = {}): Refund => ({
	...{ tenantId: "t", id, receiptId: "r", paymentId: null, origin: "request", method: "card" },
	...{
		amountMinor: 40_000n,
		currency: "KES",
		status: "unknown",
		reason: "",
		customerNote: null,
	},
	...{
		gatewayRef: null,
		originatorId: null,
		failureCode: null,
		feeMinor: null,
		needsReview: false,
		proposedBy: null,
		proposedAt: null,
		checks: 0,
	},
	...{ submittedAt: null, nextCheckAt: null, version: 1, createdAt: new Date(0), endedAt: null },
	...more,
});
const theirs = (id: string, amountMinor = 40_000n, status = "processed"): CardRefund => ({
	...{ id, amountMinor, status, currency: "KES", transactionId: "1", transactionReference: undefined },
});
const matched = (refunds: Refund[], listed: CardRefund[]) => {
	const { known, foreign } = matchRefunds(refunds, listed);
	return {
		known: Object.fromEntries(known.map(({ refund, entry }) => [refund.id, entry.id])),
		foreign: foreign.map(({ id }) => id),
	};
};

test("a refund is matched by the gateway's id, however many have its amount", () => {
	expect(matched([ours("a", { gatewayRef: "2" }), ours("b")], [theirs("1"), theirs("2")])).toEqual({
		...{ known: { a: "2", b: "1" }, foreign: [] },
	});
});

test("of two equal refunds whose id is not known the oldest is the gateway's oldest", () => {
	expect(matched([ours("a"), ours("b")], [theirs("10"), theirs("9")])).toEqual({
		...{ known: { a: "9", b: "10" }, foreign: [] },
	});
});

test("of two equal refunds the one that an event has ended, which names no id, is the gateway's, and not an older one that waits for its answer", () => {
	const ended = ours("b", { status: "processed" });
	expect(matched([ours("a"), ended], [theirs("1")])).toEqual({ known: { b: "1" }, foreign: [] });
	const both = [theirs("1", 40_000n, "pending"), theirs("2")];
	expect(matched([ours("a"), ended], both)).toEqual({ known: { a: "1", b: "2" }, foreign: [] });
	expect(matched([ours("a"), ended], [theirs("1", 40_000n, "pending")]).known).toEqual({ b: "1" });
});

test("a refund of another amount, or one more than ours, was made at the gateway", () => {
	expect(matched([ours("a")], [theirs("1"), theirs("2"), theirs("3", 7_000n)])).toEqual({
		...{ known: { a: "1" }, foreign: ["2", "3"] },
	});
});

test("what was not sent, or what the gateway refused, is not one of the gateway's", () => {
	const refused = ours("b", { status: "failed", failureCode: "refund_amount_exceeded" });
	expect(matched([ours("a", { status: "requested" }), refused], [theirs("1")])).toEqual({
		...{ known: {}, foreign: ["1"] },
	});
});

test("one that failed at the gateway, or by a decision, is still matched: it may be processed after all", () => {
	for (const failureCode of ["failed", "resolved"])
		expect(matched([ours("a", { status: "failed", failureCode })], [theirs("1")]).known).toEqual({ a: "1" });
});
