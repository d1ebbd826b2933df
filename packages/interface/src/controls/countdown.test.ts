import { expect, test } from "vitest";
import { clockText } from "./countdown.tsx";

test.each([
	[5, "0:05"],
	[90, "1:30"],
	[3_600, "60:00"],
])("%d seconds are shown as %s", (seconds, text) => {
	expect(clockText(seconds)).toBe(text);
});
