import { expect, test } from "vitest";
import { createPeopleCache } from "./people-cache.ts";
import type { Person } from "./person.ts";

const person = (expiresAt: Date | null): Person => ({
	userId: "u",
	status: "active",
	issuedAt: new Date(0),
	grants: [{ role: "seller", outletId: null, expiresAt, permissions: [] }],
	isHq: false,
	outlets: { assigned: [], active: [], inTenant: 0, until: null },
});

test.each([
	["after a minute", null, 60_000],
	["at the end of a grant", new Date(500), 500],
])("a cached person expires %s, to the millisecond", (_when, expiresAt, endMs) => {
	let at = 0;
	const people = createPeopleCache({ now: () => new Date(at), peopleMax: 2 });
	people.set("t s", { person: person(expiresAt), claims: undefined });
	at = endMs - 1;
	expect(people.get("t s")?.value.person.userId).toBe("u");
	at = endMs;
	expect(people.get("t s")).toBeUndefined();
});
