import { beforeEach, describe, expect, test } from "vitest";
import { type HeldPeople, type HeldPerson, holdPeople } from "./held-people.ts";
import type { Person } from "./person.ts";

let clock: Date;
let people: HeldPeople;
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
const learn = async (known = person(), at = key): Promise<HeldPerson> => {
	await people.learn(at, undefined, async () => known);
	const found = people.get(at);
	if (found === undefined) throw new Error("nobody is held");
	return found;
};
beforeEach(() => {
	clock = new Date();
	people = holdPeople({ now: () => clock, peopleMax: 2 });
});

describe("what was found of a person stands", () => {
	test("while they are held", async () => {
		const found = await learn();
		expect([people.stands(found), people.get(key) === found]).toEqual([true, true]);
	});

	test("no longer once they, their tenant or everybody is dropped", async () => {
		const drops = [
			() => people.forget(key),
			() => people.forgetTenant("t"),
			() => people.forgetTenant(undefined),
			() => people.hear(true),
			() => people.hear(false),
		];
		for (const drop of drops) {
			people.hear(true);
			const found = await learn();
			drop();
			expect(people.stands(found)).toBe(false);
		}
	});

	test("whoever else is dropped", async () => {
		const found = await learn();
		people.forget({ tenantId: "t", subject: "other" });
		people.forgetTenant("other");
		expect(people.stands(found)).toBe(true);
	});

	test("no longer once they were looked up anew", async () => {
		const found = await learn();
		const anew = await learn();
		expect([people.stands(found), people.stands(anew)]).toEqual([false, true]);
	});

	test("no longer once others took their place in memory", async () => {
		const found = await learn();
		for (const subject of ["a", "b"]) await learn(person(), { tenantId: "t", subject });
		expect([people.stands(found), people.get(key)]).toEqual([false, undefined]);
	});

	test("no longer from the end of a grant, to the millisecond", async () => {
		const found = await learn(person(new Date(clock.getTime() + 500)));
		later(499);
		expect(people.stands(found)).toBe(true);
		later(1);
		expect([people.stands(found), people.get(key)]).toEqual([false, undefined]);
	});

	test("for a second at most, so that who is used again and again is not forgotten before the others", async () => {
		const found = await learn();
		await learn(person(), { tenantId: "t", subject: "a" });
		later(1_000);
		expect(people.stands(found)).toBe(false);
		expect([people.get(key) === found, people.stands(found)]).toEqual([true, true]);
		await learn(person(), { tenantId: "t", subject: "b" });
		expect(people.stands(found)).toBe(true);
	});
});
