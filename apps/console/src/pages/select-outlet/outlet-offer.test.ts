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
])("with %j used most recently, the order is %j", (last, order) => {
	expect(lastFirst(outlets, last).map(({ id }) => id)).toEqual(order);
});

test.each([
	[
		["c", "a", "closed"],
		["a", "c"],
	],
	[[], []],
	[undefined, ["a", "b", "c"]],
])("if the sign-on service lists %j, the offered outlets are %j", (ids, offered) => {
	expect(offeredOf(outlets, ids).map(({ id }) => id)).toEqual(offered);
});
