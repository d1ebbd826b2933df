import { beforeEach, describe, expect, test } from "vitest";
import type { Tenant } from "./tenant.ts";
import { createTenantCache, type TenantCache } from "./tenant-cache.ts";

let clock: Date;
let known: TenantCache;
const tenant = (id: string): Tenant => ({
	id,
	slug: `of-${id}`,
	name: "Uhai",
	status: "active",
	timeZone: "Africa/Nairobi",
	currency: "KES",
	locale: "en-KE",
	outletIsolation: "strict",
});
const store = (id = "1") => {
	known.begin().store(tenant(id));
	const found = known.get(`slug of-${id}`);
	if (found === undefined) throw new Error("not cached");
	return found;
};
beforeEach(() => {
	clock = new Date();
	known = createTenantCache({ now: () => clock, tenantsMax: 2 });
});

describe("a cached tenant is current", () => {
	test("as long as only other entries are invalidated", () => {
		const found = store();
		known.invalidate(["id 2", "slug of-2"]);
		expect([known.isCurrent(found), known.get("slug of-1") === found]).toEqual([true, true]);
	});

	test("until its entry is invalidated, replaced, or the cache is cleared", () => {
		const drops = [
			() => known.invalidate(["slug of-1"]),
			() => known.setSubscribed(true),
			() => known.setSubscribed(false),
			() => void store(),
		];
		for (const drop of drops) {
			known.setSubscribed(true);
			const found = store();
			drop();
			expect(known.isCurrent(found)).toBe(false);
		}
	});

	test("until it is evicted", () => {
		const found = store();
		for (const id of ["2", "3"]) store(id);
		expect([known.isCurrent(found), known.get("slug of-1")]).toEqual([false, undefined]);
	});

	test("until it expires", () => {
		const found = store();
		clock = new Date(clock.getTime() + 59_999);
		expect(known.isCurrent(found)).toBe(true);
		clock = new Date(clock.getTime() + 1);
		expect([known.isCurrent(found), known.get("slug of-1")]).toEqual([false, undefined]);
	});
});
