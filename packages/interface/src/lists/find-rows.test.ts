import { expect, test } from "vitest";
import { findRows } from "./find-rows.ts";

const rows = [{ name: "Ward Nurse" }, { name: "Cashier" }];
const find = (search: string) => findRows(rows, search, ({ name }) => name).map(({ name }) => name);

test("rows are found by a part of their text, ignoring case and surrounding spaces", () => {
	expect(find(" nURse ")).toEqual(["Ward Nurse"]);
	expect(find("doctor")).toEqual([]);
	expect(find(" ")).toEqual(["Ward Nurse", "Cashier"]);
});
