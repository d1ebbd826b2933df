import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Class, classes } from "../message.ts";
import type { Outcome } from "../provider.ts";
import { resultOf } from "./outcome.ts";

describe("the delay after a try without success", () => {
	const now = new Date("2026-11-26T08:00:00Z");
	const outcomes = {
		failure: { is: "refused", mayRetry: true, code: "later" },
		unreachable: { is: "refused", mayRetry: true, code: "econnrefused", isUnreachable: true },
	} as const satisfies Record<string, Outcome>;
	/** A try, and how many claims before it were postponed or lost their lease. */
	type Try = { end: keyof typeof outcomes; idle: number };
	const most = { urgent: 60_000, normal: 900_000, bulk: 3_600_000 };

	/** Returns the longest delays after the tries of a delivery, in milliseconds, until it is given up. */
	function delaysAfter(messageClass: Class, tries: readonly Try[], expiresInMs = 72 * 3_600_000): number[] {
		const counts = { attempt: 0, failures: 0, tries: 0 };
		const expiresAt = new Date(now.getTime() + expiresInMs);
		return tries.flatMap(({ end, idle }) => {
			counts.attempt += idle + 1;
			const { dueAt, isFailure } = resultOf({
				lane: { tenantId: "t", channel: "email", messageClass },
				claimed: { id: "d", ...counts, expiresAt } as Parameters<typeof resultOf>[0]["claimed"],
				...{ provider: undefined, tookMs: 0, calledAt: now, now, random: 1, outcome: outcomes[end] },
			});
			counts.tries += 1;
			if (isFailure === true) counts.failures += 1;
			return dueAt === undefined ? [] : [dueAt.getTime() - now.getTime()];
		});
	}

	test("never shrinks, is the same however many claims were postponed or lost, and ends at the class's longest", () => {
		const tries = fc.array(
			fc.record({ end: fc.constantFrom("failure" as const, "unreachable" as const), idle: fc.nat(40) }),
			{ maxLength: 40 },
		);
		fc.assert(
			fc.property(fc.constantFrom(...classes), tries, (messageClass, tries) => {
				const delays = delaysAfter(messageClass, tries);
				const withoutIdle = tries.map(({ end }) => ({ end, idle: 0 }));
				expect(delays).toEqual(delaysAfter(messageClass, withoutIdle));
				expect(delays).toEqual(delays.toSorted((a, b) => a - b));
				expect(Math.max(0, ...delays)).toBeLessThanOrEqual(most[messageClass]);
			}),
		);
	});

	const outage = Array.from({ length: 8 }, (): Try => ({ end: "unreachable", idle: 2 }));

	test("doubles in an outage, although no try of it is a failure", () => {
		expect(delaysAfter("urgent", outage)).toEqual([0, 1, 2, 4, 8, 16, 32, 60].map((s) => s * 1_000));
	});

	test("is cut off where the delivery expires", () => {
		expect(delaysAfter("urgent", outage, 5_000).slice(3)).toEqual([4_000, 5_000, 5_000, 5_000, 5_000]);
	});
});
