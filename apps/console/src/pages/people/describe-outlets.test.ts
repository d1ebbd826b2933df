import { expect, test } from "vitest";
import { describeOutlets } from "./describe-outlets.ts";

const outlets = ["a", "b", "c"].map((id) => ({ id, name: id.toUpperCase(), status: "active" }));
const words = {
	headquarters: "HQ",
	everyOutlet: "every",
	noOutlet: "none",
	moreOutlets: (first: string, count: number) => `${first} +${count}`,
};
const bound = { is_hq: false, is_hq_user: false };

test.each([
	[{ is_hq: true, is_hq_user: true }, ["a"], "HQ"],
	[{ is_hq: false, is_hq_user: true }, [], "every"],
	[bound, [], "none"],
	[bound, ["b"], "B"],
	[bound, ["b", "a"], "A, B"],
	[bound, ["a", "b", "c"], "A +2"],
	[bound, ["gone"], "none"],
	[bound, ["gone", "c"], "C"],
])("%j with outlets %j is described as %s", (who, outlet_ids, text) => {
	expect(describeOutlets({ ...who, outlet_ids }, outlets, words)).toBe(text);
});

test("in a tenant with one active outlet, every member has that one", () => {
	const [open, ...closed] = outlets;
	const one = [...closed.map((outlet) => ({ ...outlet, status: "inactive" })), open].filter(
		(it) => it !== undefined,
	);
	expect(describeOutlets({ ...bound, outlet_ids: [] }, one, words)).toBe("A");
	expect(describeOutlets({ ...bound, outlet_ids: ["b"] }, one, words)).toBe("A");
});

test("in a tenant without an active outlet, no member is bound to one", () => {
	expect(describeOutlets({ ...bound, outlet_ids: [] }, [], words)).toBe("every");
});

test("the description is empty while the outlets load", () => {
	expect(describeOutlets({ ...bound, outlet_ids: ["a"] }, undefined, words)).toBe("");
});
