import { expect, test } from "vitest";
import { uuidV7 } from "./uuid-v7.ts";

const at = new Date("2026-03-01T12:00:00.123Z");

test("the id has the form of version 7 and carries its time", () => {
	const id = uuidV7(at);
	expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(at.getTime());
});

test("ids of one moment differ, and a later one sorts after an earlier one", () => {
	expect(new Set(Array.from({ length: 1_000 }, () => uuidV7(at))).size).toBe(1_000);
	expect(uuidV7(new Date(at.getTime() + 1)) > uuidV7(at)).toBe(true);
});
