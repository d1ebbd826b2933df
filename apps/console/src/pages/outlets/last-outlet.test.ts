import { expect, test } from "vitest";
import { lastFirst } from "./last-outlet.ts";

const outlets = [{ id: "a" }, { id: "b" }, { id: "c" }];

test.each([
	["b", ["b", "a", "c"]],
	["a", ["a", "b", "c"]],
	["gone", ["a", "b", "c"]],
	[undefined, ["a", "b", "c"]],
])("with %s chosen last the outlets are %j", (last, order) => {
	expect(lastFirst(outlets, last).map(({ id }) => id)).toEqual(order);
});
