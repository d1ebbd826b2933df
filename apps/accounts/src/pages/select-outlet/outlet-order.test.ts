import type { PublicOutlet } from "@lango/contracts";
import { expect, test } from "vitest";
import { orderOutlets } from "./outlet-order.ts";

const outlet = (id: string, name: string, more: Partial<PublicOutlet> = {}) =>
	({ id, name, status: "active", is_hq: false, ...more }) as PublicOutlet;
const ward = outlet("w", "Ward Block");
const pharmacy = outlet("p", "Pharmacy");
const ids = ["w", "p"];

test("outlets are ordered by name", () => {
	expect(orderOutlets([ward, pharmacy], { ids, lastId: null })).toEqual([pharmacy, ward]);
});

test("numbers in the names of outlets are ordered by their value", () => {
	const [second, tenth] = [outlet("2", "Outlet 2"), outlet("10", "Outlet 10")];
	expect(orderOutlets([tenth, second], { ids: undefined, lastId: null })).toEqual([second, tenth]);
});

test("the last selected outlet comes first", () => {
	expect(orderOutlets([ward, pharmacy], { ids, lastId: "w" })).toEqual([ward, pharmacy]);
});

test("only the outlets in the response are offered, also the headquarters", () => {
	const hq = outlet("h", "Headquarters", { is_hq: true });
	expect(orderOutlets([hq, ward, pharmacy], { ids: ["h", "w"], lastId: null })).toEqual([hq, ward]);
});

test("without outlets in the response all that are not archived are offered", () => {
	const closed = outlet("c", "Closed", { status: "inactive" });
	const gone = outlet("g", "Gone", { status: "archived" });
	expect(orderOutlets([ward, closed, gone], { ids: undefined, lastId: null })).toEqual([closed, ward]);
});
