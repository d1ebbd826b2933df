import type { PublicOutlet } from "@lango/contracts";
import { expect, test } from "vitest";
import { orderOutlets } from "./outlet-order.ts";

const outlet = (id: string, name: string, more: Partial<PublicOutlet> = {}) =>
	({ id, name, status: "active", is_hq: false, ...more }) as PublicOutlet;
const ward = outlet("w", "Ward Block");
const pharmacy = outlet("p", "Pharmacy");

test("outlets come by name", () => {
	expect(orderOutlets([ward, pharmacy], null)).toEqual([pharmacy, ward]);
});

test("the one chosen last time comes first", () => {
	expect(orderOutlets([ward, pharmacy], "w")).toEqual([ward, pharmacy]);
});

test.each([{ status: "inactive" }, { status: "archived" }, { is_hq: true }])("%j is not offered", (more) => {
	expect(orderOutlets([ward, outlet("x", "X", more)], "x")).toEqual([ward]);
});
