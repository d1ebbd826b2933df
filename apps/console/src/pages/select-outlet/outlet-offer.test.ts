import { expect, test } from "vitest";
import { lastFirst, offeredOf } from "./outlet-offer.ts";

const outlets = [{ id: "a" }, { id: "b" }, { id: "c" }];

test.each([
	[["b"], ["b", "a", "c"]],
	[
		["c", "b"],
		["c", "b", "a"],
	],
	[
		["gone", "c"],
		["c", "a", "b"],
	],
	[[], ["a", "b", "c"]],
])("with %j used last the outlets are %j", (last, order) => {
	expect(lastFirst(outlets, last).map(({ id }) => id)).toEqual(order);
});

test.each([
	[
		["c", "a", "closed"],
		["a", "c"],
	],
	[[], []],
	[undefined, ["a", "b", "c"]],
])("of the outlets %j that the sign-on service names are offered %j", (ids, offered) => {
	expect(offeredOf(outlets, ids).map(({ id }) => id)).toEqual(offered);
});
