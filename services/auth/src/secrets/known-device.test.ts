import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createKnownDevices } from "./known-device.ts";

const old = { id: "k1", key: randomBytes(32) };
const devices = createKnownDevices([old]);

test("a device knows the accounts that signed in on it, and keeps its mark for each", () => {
	const first = devices.remember(undefined, "a");
	const both = devices.remember(first, "b");
	expect(devices.find(both, "a")).toBe(devices.find(first, "a"));
	expect(devices.find(both, "b")).toBeDefined();
	expect(devices.find(both, "c")).toBeUndefined();
	expect(devices.remember(both, "a").split("~")).toHaveLength(2);
});

test("the cookie keeps the last five accounts", () => {
	let cookie: string | undefined;
	for (const account of ["a", "b", "c", "d", "e", "f"]) cookie = devices.remember(cookie, account);
	expect(devices.find(cookie, "a")).toBeUndefined();
	expect(devices.find(cookie, "f")).toBeDefined();
});

test("a forged mark, or one of another account or server, is not accepted", () => {
	const cookie = devices.remember(undefined, "a");
	for (const forged of ["x", "~~~", `${"A".repeat(22)}.${"B".repeat(43)}`, cookie.replace(/^./, "!")])
		expect(devices.find(forged, "a")).toBeUndefined();
	expect(createKnownDevices([{ id: "k2", key: randomBytes(32) }]).find(cookie, "a")).toBeUndefined();
	expect(createKnownDevices([{ id: "k2", key: randomBytes(32) }, old]).find(cookie, "a")).toBeDefined();
});
