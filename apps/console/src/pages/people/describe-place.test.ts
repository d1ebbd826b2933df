import { expect, test } from "vitest";
import { describePlace } from "./describe-place.ts";

const outlets = ["a", "b", "c"].map((id) => ({ id, name: id.toUpperCase() }));
const words = {
	headquarters: "HQ",
	noOutlet: "none",
	moreOutlets: (first: string, count: number) => `${first} +${count}`,
};

test.each([
	[true, ["a"], "HQ"],
	[false, [], "none"],
	[false, ["b"], "B"],
	[false, ["b", "a"], "A, B"],
	[false, ["a", "b", "c"], "A +2"],
	[false, ["gone"], "none"],
	[false, ["gone", "c"], "C"],
])("headquarters %s with outlets %j is said as %s", (is_hq, outlet_ids, said) => {
	expect(describePlace({ is_hq, outlet_ids }, outlets, words)).toBe(said);
});

test("as long as the outlets are not known nothing is said of them", () => {
	expect(describePlace({ is_hq: false, outlet_ids: ["a"] }, undefined, words)).toBe("");
});
