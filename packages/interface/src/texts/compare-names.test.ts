import { expect, test } from "vitest";
import { compareNames } from "./compare-names.ts";

test("numbers inside of names are sorted by their value, and case does not count", () => {
	const names = ["Outlet 10", "outlet 2", "Outlet 1", "Annex"];
	expect(names.toSorted(compareNames)).toEqual(["Annex", "Outlet 1", "outlet 2", "Outlet 10"]);
});

test("numbers are sorted by their value", () => {
	expect([10, 9, -1].toSorted(compareNames)).toEqual([-1, 9, 10]);
});
