import { expect, test } from "vitest";
import { refundStatuses } from "../../refunds/refund.ts";
import type { RefundSaid } from "../evidence/refund-evidence.ts";
import { refundOutcomeOf } from "./refund-outcome.ts";

const said: readonly RefundSaid[] = [
	{ kind: "submitting" },
	{ kind: "not_sent", code: "busy" },
	{ kind: "unknown", because: "reset" },
	{ kind: "accepted" },
	{ kind: "pending" },
	{ kind: "processing" },
	{ kind: "needs_attention" },
	{ kind: "rejected", code: "refund_amount_exceeded" },
	{ kind: "failed", code: "failed" },
	{ kind: "processed" },
];

/** From each status, what each of these statements makes of a refund; `.`: nothing. */
const table: Readonly<Record<(typeof refundStatuses)[number], string>> = {
	// The columns are the statements above.
	requested: "submitting . unknown pending pending processing needs_attention failed failed processed",
	submitting: ". requested unknown pending pending processing needs_attention failed failed processed",
	unknown: ". requested . pending pending processing needs_attention failed failed processed",
	pending: ". . . . . processing needs_attention failed failed processed",
	processing: ". . . . . . needs_attention failed failed processed",
	needs_attention: ". . . . . . . failed failed processed",
	failed: ". . . . . . . . . processed",
	processed: ". . . . . . . . . .",
};

test.each(refundStatuses)(
	"what is said about a refund that is %s makes of it what the table says (I10)",
	(status) => {
		const made = said.map(
			(one) => refundOutcomeOf({ status, failureCode: null, needsReview: false }, one)?.status ?? ".",
		);
		expect(made.join(" ")).toBe(table[status]);
	},
);

test("a refund about which the gateway says nothing is left to the platform owner, until its end is known", () => {
	const open = { status: "unknown", failureCode: null, needsReview: false } as const;
	const left = refundOutcomeOf(open, { kind: "unanswered" });
	expect(left).toEqual({ ...open, needsReview: true });
	expect(refundOutcomeOf({ ...open, needsReview: true }, { kind: "processed" })).toMatchObject({
		...{ status: "processed", needsReview: false },
	});
	expect(refundOutcomeOf({ ...open, status: "processed" }, { kind: "unanswered" })).toBeUndefined();
});

test("a refund that failed and was processed after all has no failure code any more", () => {
	const failed = { status: "failed", failureCode: "failed", needsReview: false } as const;
	expect(refundOutcomeOf(failed, { kind: "processed" })).toMatchObject({ failureCode: null });
});
