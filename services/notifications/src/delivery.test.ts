import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retryDelayMs } from "./delivery.ts";
import { classes } from "./message.ts";

describe("the delay before a retry", () => {
	const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
	const tries = fc.integer({ min: 1, max: 100 });

	test("is never above the class's longest, and never below what the provider asked for", () => {
		const most = { urgent: 60_000, normal: 900_000, bulk: 3_600_000 };
		const afterSeconds = fc.integer({ min: 0, max: 7200 });
		fc.assert(
			fc.property(fc.constantFrom(...classes), tries, afterSeconds, random, (...given) => {
				const [messageClass, tries, afterSeconds, random] = given;
				const delay = retryDelayMs(messageClass, { tries, afterSeconds, random });
				expect(delay).toBeGreaterThanOrEqual(afterSeconds * 1000);
				expect(delay).toBeLessThanOrEqual(Math.max(most[messageClass], afterSeconds * 1000));
			}),
		);
	});

	test("is zero after the first try of an urgent message, and then doubles", () => {
		const bounds = (messageClass: (typeof classes)[number]) =>
			[1, 2, 3, 4].map((tries) => retryDelayMs(messageClass, { tries, random: 1 }));
		expect(bounds("urgent")).toEqual([0, 1000, 2000, 4000]);
		expect(bounds("normal")).toEqual([15_000, 30_000, 60_000, 120_000]);
		expect(bounds("bulk")).toEqual([60_000, 120_000, 240_000, 480_000]);
	});
});
