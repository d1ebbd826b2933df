import { countSegments as countInSandbox } from "@lango/sandbox-messages";
import fc from "fast-check";
import { SegmentedMessage } from "sms-segments-calculator";
import { expect, test } from "vitest";
import { countSegments } from "./segments.ts";

test.each([
	["a".repeat(160), 1],
	["a".repeat(161), 2],
	["a".repeat(306), 2],
	["a".repeat(307), 3],
	["€".repeat(80), 1],
	["€".repeat(81), 2],
	["ŵ".repeat(70), 1],
	["ŵ".repeat(71), 2],
	["👍".repeat(35), 1],
	["👍".repeat(36), 2],
])("%s has %i segments", (text, segments) => {
	expect(countSegments(text)).toBe(segments);
});

test("the count is that of the calculator and of the sandbox", () => {
	const extended = fc.stringMatching(/^[a-z €^{}[\]~|\\\n\r\f]{1,500}$/);
	const plain = fc.stringMatching(/^[a-zŵ’“€αβ–…\n]{1,400}$/);
	fc.assert(
		fc.property(
			fc.oneof(extended, plain, fc.string({ unit: "grapheme", maxLength: 200 }), fc.string()),
			(text) => {
				expect(countSegments(text)).toBe(Math.max(1, new SegmentedMessage(text).segmentsCount));
				expect(countSegments(text)).toBe(countInSandbox(text).segments);
			},
		),
		{ numRuns: 500 },
	);
});

test("a longer text has at least as many segments", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.string(), (text, more) => {
			expect(countSegments(text + more)).toBeGreaterThanOrEqual(countSegments(text));
		}),
	);
});
