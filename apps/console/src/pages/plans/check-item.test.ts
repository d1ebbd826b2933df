import { expect, test } from "vitest";
import { checkItem } from "./check-item.ts";

const words = { code: "code", name: "name", position: "position" };

test.each([
	["plans", { code: "GROWTH_PLUS", name: "Growth+", position: 25 }, undefined],
	["plans", { code: "growth", name: "Growth", position: 25 }, "code"],
	["plans", { code: "GROWTH", name: "", position: 25 }, "name"],
	["plans", { code: "GROWTH", name: "Growth", position: Number.NaN }, "position"],
	["plans", { code: "GROWTH", name: "Growth", position: 1.5 }, "position"],
	["plans", { code: "GROWTH", name: "Growth", position: -1 }, "position"],
	["add-ons", { code: "more_riders", name: "More riders" }, undefined],
	["add-ons", { code: "More", name: "More riders" }, "code"],
] as const)("of %s, the invalid field of %j is %s", (kind, item, field) => {
	expect(checkItem(item, kind, words)?.field).toBe(field);
});
