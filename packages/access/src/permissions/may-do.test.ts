import { actions } from "@lango/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mayDo, permissionsInBoth } from "./may-do.ts";

const ofServices = ["a.x", "a.y", "b.x"].flatMap((module) => actions.map((action) => `${module}.${action}`));
const canonical = ["auth.clients.manage", "catalog:manage", "catalog:view", "orders:read"];
const codes = [...ofServices, ...canonical];
const lists = fc.uniqueArray(fc.constantFrom(...codes), { maxLength: 12 });
const grants = (held: readonly string[], code: string) =>
	code.includes(":") ? held.includes(code) : mayDo(held, code);
const grantedBy = (held: readonly string[]) => codes.filter((code) => grants(held, code));

test("the intersection of two lists of permissions grants exactly what both of them grant", () => {
	fc.assert(
		fc.property(lists, lists, (some, others) => {
			const both = permissionsInBoth(some, others);
			expect(grantedBy(both)).toEqual(grantedBy(some).filter((code) => grants(others, code)));
			expect(both).toEqual([...new Set(both)].sort());
		}),
		{ numRuns: 2_000 },
	);
});

test("manage_own in one list and change in the other grant change_own", () => {
	expect(permissionsInBoth(["a.x.manage_own"], ["a.x.change"])).toEqual(["a.x.change_own"]);
});
