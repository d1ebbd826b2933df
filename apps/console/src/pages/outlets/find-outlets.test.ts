import { expect, test } from "vitest";
import { findOutlets, type Shown } from "./find-outlets.ts";

const outlets = [
	{ code: "HQ", name: "Headquarters", status: "active" },
	{ code: "PHARM", name: "Pharmacy", status: "inactive" },
	{ code: "OLD", name: "Old Pharmacy", status: "archived" },
];

test.each<[string, Shown, string[]]>([
	["", "open", ["HQ", "PHARM"]],
	["", "archived", ["OLD"]],
	["", "all", ["HQ", "PHARM", "OLD"]],
	["pharm", "all", ["PHARM", "OLD"]],
	["PHARMACY", "open", ["PHARM"]],
	["hq", "open", ["HQ"]],
	["x", "all", []],
])("a search for %j in the outlets shown as %s finds %j", (search, shown, codes) => {
	expect(findOutlets(outlets, { search, shown }).map(({ code }) => code)).toEqual(codes);
});
