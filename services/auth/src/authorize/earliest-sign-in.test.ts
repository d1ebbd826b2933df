import fc from "fast-check";
import { expect, test } from "vitest";
import { earliestSignIn } from "./earliest-sign-in.ts";

const now = new Date("2026-03-02T08:00:00Z");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
const unconstrained = { prompts: new Set<string>(), maxAgeSeconds: undefined, sentAt: undefined, now };

test("without prompt and max_age every sign-in satisfies the request", () => {
	expect(earliestSignIn(unconstrained)).toBeUndefined();
	expect(
		earliestSignIn({ ...unconstrained, prompts: new Set(["none", "consent", "unknown"]) }),
	).toBeUndefined();
});

test("prompt=login and prompt=select_account require a sign-in since the browser was sent to the sign-in page", () => {
	for (const prompt of ["login", "select_account"]) {
		const again = { ...unconstrained, prompts: new Set([prompt]), maxAgeSeconds: 1_000 };
		expect(earliestSignIn(again)).toBe("infinity");
		expect(earliestSignIn({ ...again, sentAt: at(-5) })).toEqual(at(-5));
	}
});

test("with max_age a sign-in is accepted if it is younger, or since the browser was sent to the sign-in page", () => {
	const seconds = fc.integer({ min: 0, max: 999_999_999 });
	const ago = fc.integer({ min: 0, max: 2_000_000_000 });
	fc.assert(
		fc.property(seconds, ago, fc.option(ago, { nil: undefined }), (maxAgeSeconds, age, sentAgo) => {
			const sentAt = sentAgo === undefined ? undefined : at(-sentAgo);
			const earliest = earliestSignIn({ ...unconstrained, maxAgeSeconds, sentAt });
			const isAccepted = earliest instanceof Date && at(-age) >= earliest;
			expect(isAccepted).toBe(age < maxAgeSeconds || (sentAgo !== undefined && age <= sentAgo));
		}),
	);
});
