import { expect, test } from "vitest";
import type { Exception } from "./exception.queries.ts";
import { inboxObjectOf, journalSourceOf, linksOf } from "./exception-links.ts";

const exception = (more: Partial<Exception>) =>
	({ subject: "S1", ours: {}, theirs: {}, ...more }) as Exception;

test("each side leads to the pages of what it names", () => {
	expect(linksOf({ tenant_id: "t", intent_id: "i", attempt_id: "a" })).toEqual([
		{ page: "intent", id: "i", tenantId: "t" },
	]);
	expect(linksOf({ tenant_id: "t", refund_id: "f", receipt_id: "r" })).toEqual([
		{ page: "receipt", id: "r", tenantId: "t" },
		{ page: "refund", id: "r", tenantId: "t" },
	]);
	expect(linksOf({ settlement_id: "s", transaction: "12" })).toEqual([
		{ page: "settlement", id: "s", tenantId: undefined },
	]);
});

test("what names no organisation leads to no page of one", () => {
	expect(linksOf({ receipt_id: "r", tenant_id: null })).toEqual([]);
});

test("the journals are those of the payout, refund or dispute, else of the receipt or the settlement", () => {
	const source = (ours: Exception["ours"]) => journalSourceOf({ ours });
	expect(source({ dispute_id: "d", receipt_id: "r" })).toEqual({ source_type: "dispute", source_id: "d" });
	expect(source({ receipt_id: "r", settlement_id: "s" })).toEqual({ source_type: "receipt", source_id: "r" });
	expect(source({ intent_id: "i" })).toBeUndefined();
});

test.each([
	[{ theirs: { receipt: "SKL1LATER01" } }, "SKL1LATER01"],
	[{ theirs: { transaction: "77", reference: "guest-1" } }, "guest-1"],
	[{ subject: `pay-${"0".repeat(32)}`, theirs: { receipt: "7700000001" } }, `pay-${"0".repeat(32)}`],
	[{ subject: "settlement 17", theirs: { settlement: "17" } }, undefined],
])("what the gateway sent about %j is found by %s", (more, object) => {
	expect(inboxObjectOf(exception(more))).toBe(object);
});
