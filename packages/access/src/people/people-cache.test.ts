import { beforeEach, describe, expect, test } from "vitest";
import { type CachedPerson, createPeopleCache, type PeopleCache } from "./people-cache.ts";
import type { Person } from "./person.ts";

let clock: Date;
let people: PeopleCache;
const later = (ms: number) => {
	clock = new Date(clock.getTime() + ms);
};
const key = { tenantId: "t", subject: "s" };
const person = (expiresAt: Date | null = null): Person => ({
	userId: "u",
	status: "active",
	issuedAt: clock,
	grants: [{ role: "seller", outletId: null, expiresAt, permissions: [] }],
	isHq: false,
	outlets: { assigned: [], active: [], inTenant: 0, until: null },
});
const load = async (known = person(), at = key): Promise<CachedPerson> => {
	await people.load(at, undefined, async () => known);
	const found = people.get(at);
	if (found === undefined) throw new Error("not cached");
	return found;
};
beforeEach(() => {
	clock = new Date();
	people = createPeopleCache({ now: () => clock, peopleMax: 2 });
});

describe("a cached person is current", () => {
	test("as long as the entry is not invalidated", async () => {
		const found = await load();
		expect([people.isCurrent(found), people.get(key) === found]).toEqual([true, true]);
	});

	test("until the person, their tenant or everything is invalidated", async () => {
		const drops = [
			() => people.invalidate(key),
			() => people.invalidateTenant("t"),
			() => people.invalidateTenant(undefined),
			() => people.setSubscribed(true),
			() => people.setSubscribed(false),
		];
		for (const drop of drops) {
			people.setSubscribed(true);
			const found = await load();
			drop();
			expect(people.isCurrent(found)).toBe(false);
		}
	});

	test("if other people are invalidated", async () => {
		const found = await load();
		people.invalidate({ tenantId: "t", subject: "other" });
		people.invalidateTenant("other");
		expect(people.isCurrent(found)).toBe(true);
	});

	test("until the person is loaded again", async () => {
		const found = await load();
		const anew = await load();
		expect([people.isCurrent(found), people.isCurrent(anew)]).toEqual([false, true]);
	});

	test("until the entry is evicted", async () => {
		const found = await load();
		for (const subject of ["a", "b"]) await load(person(), { tenantId: "t", subject });
		expect([people.isCurrent(found), people.get(key)]).toEqual([false, undefined]);
	});

	test("until the end of a grant, to the millisecond", async () => {
		const found = await load(person(new Date(clock.getTime() + 500)));
		later(499);
		expect(people.isCurrent(found)).toBe(true);
		later(1);
		expect([people.isCurrent(found), people.get(key)]).toEqual([false, undefined]);
	});

	test("for at most a second, so that an entry in use is not evicted before others", async () => {
		const found = await load();
		await load(person(), { tenantId: "t", subject: "a" });
		later(1_000);
		expect(people.isCurrent(found)).toBe(false);
		expect([people.get(key) === found, people.isCurrent(found)]).toEqual([true, true]);
		await load(person(), { tenantId: "t", subject: "b" });
		expect(people.isCurrent(found)).toBe(true);
	});
});
