import type { PublicTenant } from "@lango/contracts";
import { expect, test } from "vitest";
import { findShelved, shelve } from "./tenant-shelf.ts";

const now = Date.parse("2026-02-01T12:00:00Z");
const hours = 3_600_000;
const tenant = (slug: string) => ({ slug, name: slug.toUpperCase() }) as PublicTenant;

function emptyShelf() {
	const kept = new Map<string, string>();
	return {
		get length() {
			return kept.size;
		},
		key: (index: number) => [...kept.keys()][index] ?? null,
		getItem: (key: string) => kept.get(key) ?? null,
		setItem: (key: string, value: string) => void kept.set(key, value),
		removeItem: (key: string) => void kept.delete(key),
	};
}

test.each([
	[0, true],
	[6 * hours - 1, true],
	[6 * hours, false],
	[-1, false],
])("after %d ms a tenant is still known: %s", (age, isKnown) => {
	const shelf = emptyShelf();
	shelve(shelf, tenant("uhai"), now);
	expect(findShelved(shelf, "uhai", now + age)?.tenant.name === "UHAI").toBe(isKnown);
});

test("expired entries are removed from the shelf", () => {
	const shelf = emptyShelf();
	shelve(shelf, tenant("uhai"), now);
	findShelved(shelf, "uhai", now + 7 * hours);
	expect(shelf.length).toBe(0);
});

test.each(["", "{", "null", '{"at":1}', '{"tenant":{"slug":"uhai"},"at":1}'])(
	"what somebody else wrote, %j, counts as nothing",
	(text) => {
		const shelf = emptyShelf();
		shelf.setItem("lango-tenant:uhai", text);
		expect(findShelved(shelf, "uhai", 1)).toBeUndefined();
	},
);

test("twenty tenants are kept, the latest ones, and nothing else is touched", () => {
	const shelf = emptyShelf();
	shelf.setItem("lango-theme", "dark");
	for (let index = 0; index < 25; index++) shelve(shelf, tenant(`t${index}`), now + index);
	expect(shelf.length).toBe(21);
	expect(findShelved(shelf, "t4", now + 30)).toBeUndefined();
	expect(findShelved(shelf, "t5", now + 30)?.tenant.name).toBe("T5");
	expect(shelf.getItem("lango-theme")).toBe("dark");
});
