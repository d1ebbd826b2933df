import { expect, test } from "vitest";
import { levelOf } from "./meter.tsx";

test.each([
	[0, 10, "free"],
	[7, 10, "free"],
	[8, 10, "near"],
	[9, 10, "near"],
	[10, 10, "full"],
	[12, 10, "full"],
	[1, 1, "full"],
] as const)("%d of %d is %s", (used, limit, level) => {
	expect(levelOf(used, limit)).toBe(level);
});
