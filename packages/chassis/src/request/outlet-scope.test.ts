import { randomUUID } from "node:crypto";
import type { Person } from "@lango/access";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Caller } from "./call.ts";
import {
	databaseScopeOf,
	filterOf,
	isCustomerOf,
	isWithin,
	scopeOfCaller,
	scopeOfPerson,
	usualOutletOf,
} from "./outlet-scope.ts";
import { permit, signedIn, tenantWide } from "./route.ts";

const [main, side] = [randomUUID(), randomUUID()];
const many = Array.from({ length: 51 }, () => randomUUID());
type Had = {
	isHq?: boolean;
	assigned?: readonly string[];
	active?: readonly string[];
	inTenant?: number;
};
const person = ({ isHq = false, assigned = [], active, inTenant = 2 }: Had) => ({
	isHq,
	outlets: { assigned, active: active ?? assigned, inTenant, until: null },
});

describe("the scope of a person", () => {
	test.each([
		["headquarters: all", {}, person({ isHq: true }), "all"],
		[
			"headquarters with a selected outlet: all",
			{ outlet_scope: "selected", outlet_id: main },
			person({ isHq: true }),
			"all",
		],
		[
			"a selected outlet: that one",
			{ outlet_scope: "selected", outlet_id: main },
			person({ assigned: [main, side] }),
			[main],
		],
		[
			"a selected outlet in capital letters: that one",
			{ outlet_scope: "selected", outlet_id: main.toUpperCase() },
			person({ assigned: [main] }),
			[main],
		],
		[
			"a selected outlet that was taken away: none",
			{ outlet_scope: "selected", outlet_id: side },
			person({ assigned: [main] }),
			[],
		],
		[
			"a selected outlet that is the tenant's only one: that one",
			{ outlet_scope: "selected", outlet_id: main },
			person({ active: [main], inTenant: 1 }),
			[main],
		],
		[
			"no selection: all of the person's",
			{ outlet_scope: "unselected" },
			person({ assigned: [main, side] }),
			[main, side],
		],
		[
			"no selection among archived and active ones: the active ones",
			{ outlet_scope: "unselected" },
			person({ assigned: [main, side], active: [side] }),
			[side],
		],
		[
			"no selection among 51: none until one is selected",
			{ outlet_scope: "unselected" },
			person({ assigned: many }),
			[],
		],
		["no assignment: none", { outlet_scope: "unselected" }, person({}), []],
		[
			"no assignment in a tenant of one outlet: that one",
			{ outlet_scope: "unselected" },
			person({ active: [main], inTenant: 1 }),
			[main],
		],
		["no outlets in the tenant: all", { outlet_scope: "all" }, person({ inTenant: 0 }), "all"],
		[
			"outlets listed by the token and not known here yet: none",
			{ outlet_scope: "unselected" },
			person({ assigned: [main], active: [], inTenant: 0 }),
			[],
		],
		[
			"`all` in a tenant that has outlets by now: the person's",
			{ outlet_scope: "all" },
			person({ assigned: [side] }),
			[side],
		],
		[
			"an older token with an outlet: that one",
			{ outlet_id: main },
			person({ assigned: [main, side] }),
			[main],
		],
		["an older token without one: none", {}, person({ assigned: [side] }), []],
		[
			"an older token without one in a tenant of one outlet: none",
			{},
			person({ active: [main], inTenant: 1 }),
			[],
		],
		["an older token in a tenant without outlets: none", {}, person({ inTenant: 0 }), []],
	] as const)("%s", (...row) => {
		const [, claims, who, scope] = row;
		expect(scopeOfPerson(claims, who)).toEqual(scope);
	});

	test("is within the person's outlets, is all only for a token that says so in a tenant without outlets, and is empty without a statement", () => {
		const ids = fc.subarray([main, side, ...many.slice(0, 3)]);
		const claims = fc.record(
			{
				outlet_scope: fc.constantFrom("all", "selected", "unselected"),
				outlet_id: fc.constantFrom("", main, side, many[0] ?? ""),
			},
			{ requiredKeys: [] },
		);
		const held = fc.record({ assigned: ids, inTenant: fc.nat(2) });
		fc.assert(
			fc.property(claims, held, (said, { assigned, inTenant }) => {
				const scope = scopeOfPerson(said, person({ assigned, inTenant }));
				if (said.outlet_scope === undefined && (said.outlet_id ?? "") === "") expect(scope).toEqual([]);
				if (scope === "all") expect([inTenant, said.outlet_scope]).toEqual([0, "all"]);
				else expect(assigned).toEqual(expect.arrayContaining([...scope]));
			}),
		);
	});
});

describe("the scope of a caller", () => {
	const claims = { sub: randomUUID(), client_id: "x", iat: 0, exp: 0, iss: "", aud: "", jti: "" } as never;
	const user = { kind: "user", userId: "u", claims, isSuperuser: false, isPlatformOwner: false } as const;
	const till = {
		...user,
		claims: { ...(claims as object), outlet_id: main } as never,
		isIssuedHere: true,
	} as const;
	const key = { kind: "key", keyId: "k", tenantId: undefined, permissions: [] } as const;
	const hq = person({ isHq: true }) as unknown as Person;
	test.each([
		["a program: all", { kind: "client", clientId: "c", claims }, undefined, "all"],
		["a key: all", key, undefined, "all"],
		["a key made for outlets: those", { ...key, outletIds: [main] }, undefined, [main]],
		["a till, with any person: its outlet", till, hq, [main]],
		["the platform's owner: all", { ...user, isSuperuser: true, isPlatformOwner: true }, undefined, "all"],
		["headquarters: all", user, hq, "all"],
		["somebody who waits for approval: none", user, undefined, []],
	] as ReadonlyArray<readonly [string, Caller, Person | undefined, unknown]>)("%s", (...row) => {
		const [, caller, who, scope] = row;
		expect(scopeOfCaller(caller, who)).toEqual(scope);
	});
});

describe("a customer of a route", () => {
	const route = { access: permit("shop.orders.view", "shop.orders.add") };
	test.each([
		["who may add", ["shop.orders.add"], true],
		["who may add and see their own", ["shop.orders.add", "shop.orders.view_own", "shop.menu.view"], true],
		["who may see all", ["shop.orders.add", "shop.orders.view"], false],
		["who manages", ["shop.orders.manage"], false],
		["who holds nothing there", ["shop.menu.add"], false],
	])("is one %s: %j, %j", (_, held, isCustomer) => {
		expect(isCustomerOf(held, route)).toBe(isCustomer);
	});

	test("there is no customer on a route without a permission of the service", () => {
		expect(isCustomerOf(["shop.orders.add"], { access: signedIn() })).toBe(false);
	});

	test("a caller with further permissions in one of its modules is not a customer", () => {
		const both = { access: permit("shop.orders.add", "shop.tills.add") };
		expect(isCustomerOf(["shop.orders.add", "shop.tills.view"], both)).toBe(false);
	});
});

const bound = { access: signedIn() };
const wide = { ...bound, outlets: tenantWide("shared") };
test.each([
	["of all outlets", { scope: "all" }, null, "all", undefined],
	["of all outlets, narrowed", { scope: "all", outletId: side }, [side], [side], side],
	["of one outlet", { scope: [main] }, [main, null], [main], main],
	["of two outlets", { scope: [main, side] }, [main, side, null], [main, side], undefined],
	["of two outlets, narrowed", { scope: [main, side], outletId: side }, [side], [side], side],
	["of no outlet", { scope: [] }, [null], [], undefined],
	["of an open tenant's reader", { scope: [main], isUnbound: true }, null, "all", main],
	[
		"of an open tenant's reader, narrowed",
		{ scope: [main], isUnbound: true, outletId: main },
		[main],
		"all",
		main,
	],
	["of a customer", { scope: [main], isUnbound: true, isCustomer: true }, null, "all", undefined],
	[
		"of a customer, narrowed",
		{ scope: [], isUnbound: true, isCustomer: true, outletId: side },
		[side],
		"all",
		side,
	],
	["without a caller", {}, null, "all", undefined],
] as const)("a request %s filters, is admitted by the database, and creates", (_, call, ...expected) => {
	const [filter, scope, usual] = expected;
	expect(filterOf(call)).toEqual(filter);
	expect(databaseScopeOf(call, bound)).toEqual(scope);
	expect(databaseScopeOf(call, wide)).toBe("all");
	expect(usualOutletOf(call)).toBe(usual);
});

test("the database admits whatever a request's filter does", () => {
	const scope = fc.oneof(fc.constant("all" as const), fc.subarray([main, side]));
	const call = fc.record(
		{ scope, outletId: fc.constantFrom(main, side), isUnbound: fc.constant(true as const) },
		{ requiredKeys: ["scope"] },
	);
	fc.assert(
		fc.property(call, (one) => {
			const filter = filterOf(one);
			const admitted = databaseScopeOf(one, bound);
			if (filter === null) expect(admitted).toBe("all");
			else for (const id of filter) expect(id === null || isWithin(admitted, id)).toBe(true);
		}),
	);
});
