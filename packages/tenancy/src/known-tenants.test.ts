import { beforeEach, describe, expect, test } from "vitest";
import { holdTenants, type KnownTenants } from "./known-tenants.ts";
import type { Tenant } from "./tenant.ts";

let clock: Date;
let known: KnownTenants;
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
const learn = (id = "1") => {
	known.begin().learn(tenant(id));
	const found = known.get(`slug of-${id}`);
	if (found === undefined) throw new Error("nothing is held");
	return found;
};
beforeEach(() => {
	clock = new Date();
	known = holdTenants({ now: () => clock, tenantsMax: 2 });
});

describe("what was found of a tenant stands", () => {
	test("while it is held, whatever else is dropped", () => {
		const found = learn();
		known.forget(["id 2", "slug of-2"]);
		expect([known.stands(found), known.get("slug of-1") === found]).toEqual([true, true]);
	});

	test("no longer once it or everything is dropped, or it was learned anew", () => {
		const drops = [
			() => known.forget(["slug of-1"]),
			() => known.hear(true),
			() => known.hear(false),
			() => void learn(),
		];
		for (const drop of drops) {
			known.hear(true);
			const found = learn();
			drop();
			expect(known.stands(found)).toBe(false);
		}
	});

	test("no longer once others took its place in memory", () => {
		const found = learn();
		for (const id of ["2", "3"]) learn(id);
		expect([known.stands(found), known.get("slug of-1")]).toEqual([false, undefined]);
	});

	test("no longer than it is believed", () => {
		const found = learn();
		clock = new Date(clock.getTime() + 59_999);
		expect(known.stands(found)).toBe(true);
		clock = new Date(clock.getTime() + 1);
		expect([known.stands(found), known.get("slug of-1")]).toEqual([false, undefined]);
	});
});
