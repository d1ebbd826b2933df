import { expect, test } from "vitest";
import { checkItem } from "./check-item.ts";

const words = { code: "code", name: "name", position: "position" };

test.each([
	["plans", { code: "GROWTH_PLUS", name: "Growth+", position: 25 }, []],
	["plans", { code: "growth", name: "Growth", position: 25 }, ["code"]],
	["plans", { code: "GROWTH", name: "", position: 25 }, ["name"]],
	["plans", { code: "GROWTH", name: "Growth", position: Number.NaN }, ["position"]],
	["plans", { code: "GROWTH", name: "Growth", position: 1.5 }, ["position"]],
	["plans", { code: "GROWTH", name: "Growth", position: -1 }, ["position"]],
	["plans", { code: "growth", name: "", position: -1 }, ["name", "code", "position"]],
	["add-ons", { code: "more_riders", name: "More riders" }, []],
	["add-ons", { code: "More", name: "More riders" }, ["code"]],
] as const)("of %s, the invalid fields of %j are %j", (kind, item, fields) => {
	expect(checkItem(item, kind, words).map((error) => error.field)).toEqual(fields);
});
