import { findRows } from "@lango/interface";
import { expect, test } from "vitest";
import { findOpenOutlets, isShown, outletText } from "./find-outlets.ts";

const outlets = [
	{ code: "HQ", name: "Headquarters", status: "active" },
	{ code: "PHARM", name: "Pharmacy", status: "inactive" },
	{ code: "OLD", name: "Old Pharmacy", status: "archived" },
];
const codesOf = (found: readonly { code: string }[]) => found.map(({ code }) => code);

test.each([
	["open", ["HQ", "PHARM"]],
	["archived", ["OLD"]],
	["all", ["HQ", "PHARM", "OLD"]],
])("of the outlets shown as %s are %j", (shown, codes) => {
	expect(codesOf(outlets.filter((outlet) => isShown(outlet, shown)))).toEqual(codes);
});

test("an outlet is found by a part of its name or code, ignoring case", () => {
	expect(codesOf(findRows(outlets, "PHARMACY", outletText))).toEqual(["PHARM", "OLD"]);
	expect(codesOf(findOpenOutlets(outlets, "pharm"))).toEqual(["PHARM"]);
	expect(codesOf(findOpenOutlets(outlets, "hq"))).toEqual(["HQ"]);
	expect(findOpenOutlets(outlets, "old")).toEqual([]);
});
