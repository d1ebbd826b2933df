import { expect, test } from "vitest";
import { namePlace } from "./name-place.ts";

test.each([
	["en", { country: "DE", city: null }, "Germany"],
	["sw", { country: "DE", city: null }, "Ujerumani"],
	["en", { country: "DE", city: "Munich" }, "Munich, Germany"],
	["sw", { country: "DE", city: "Munich" }, "Munich, Ujerumani"],
	["en", { country: "ZB", city: null }, "ZB"],
] as const)("in %s the place %o is %s", (language, place, text) => {
	expect(namePlace(place, language)).toBe(text);
});
