import fc from "fast-check";
import { expect, test } from "vitest";
import { judge, type MailCounts, type ReputationState } from "./reputation.ts";

const cases: ReadonlyArray<
	[sent: number, bounced: number, complained: number, state: ReputationState, cause?: string]
> = [
	[1_000, 1_000, 1_000, "ok"],
	[1_001, 50, 1, "ok"],
	[1_001, 51, 0, "warned", "bounces"],
	[1_001, 100, 0, "warned", "bounces"],
	[1_001, 101, 0, "paused", "bounces"],
	[2_000, 0, 1, "ok"],
	[2_000, 0, 2, "warned", "complaints"],
	[2_000, 0, 5, "warned", "complaints"],
	[2_000, 0, 6, "paused", "complaints"],
	[2_000, 100, 6, "paused", "complaints"],
	[2_000, 200, 6, "paused", "bounces"],
	[0, 0, 0, "ok"],
];

test.each(cases)(
	"%i e-mails with %i bounces and %i complaints: %s",
	(...[sent, bounced, complained, state, cause]) => {
		expect(judge({ sent, bounced, complained })).toEqual({ state, ...(cause !== undefined && { cause }) });
	},
);

test("more bounces or complaints never lead to a better state, and more e-mails that arrive never to a worse one", () => {
	const counts = fc
		.record({ sent: fc.integer({ min: 1_001, max: 100_000 }), bounced: fc.nat(), complained: fc.nat() })
		.map(({ sent, bounced, complained }) => ({
			...{ sent, bounced: bounced % (sent + 1), complained: complained % (sent + 1) },
		}));
	const rank = (one: MailCounts) => ["ok", "warned", "paused"].indexOf(judge(one).state);
	fc.assert(
		fc.property(counts, fc.integer({ min: 1, max: 1_000 }), (one, more) => {
			expect(rank({ ...one, bounced: one.bounced + more })).toBeGreaterThanOrEqual(rank(one));
			expect(rank({ ...one, complained: one.complained + more })).toBeGreaterThanOrEqual(rank(one));
			expect(rank({ ...one, sent: one.sent + more })).toBeLessThanOrEqual(rank(one));
		}),
	);
});
