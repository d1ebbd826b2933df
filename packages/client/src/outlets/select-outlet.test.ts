import type { PublicOutlet } from "@lango/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isInScope, mayChoose, type OutletScope, outletScopeOf } from "./outlet-scope.ts";
import { listOpenOutlets, type OutletState, preselectOutlet, selectOutlet } from "./select-outlet.ts";

const ids = ["a", "b", "c", "d"];
const anyId = fc.constantFrom(...ids);
const anyIds = fc.subarray(ids);
const anyScope: fc.Arbitrary<OutletScope> = fc.oneof(
	fc.constant({ kind: "all" as const }),
	fc.constant({ kind: "any" as const }),
	fc.subarray(ids, { minLength: 1 }).map((outletIds) => ({ kind: "some" as const, outletIds })),
);
const anyOutlets = fc.shuffledSubarray(ids).chain((present) =>
	fc.tuple(
		...present.map((id) =>
			fc.constantFrom("active", "archived").map(
				(status): PublicOutlet => ({
					...{ id, code: id, name: id, use_case: "retail", is_hq: false, settings: {} },
					status: status as PublicOutlet["status"],
				}),
			),
		),
	),
);

describe("the scope that the client reads from a token", () => {
	test.each([
		["the selected outlet", { outlet_scope: "selected", outlet_id: "a" }, { kind: "some", outletIds: ["a"] }],
		[
			"the listed outlets",
			{ outlet_scope: "unselected", outlet_ids: ["a", "b"] },
			{ kind: "some", outletIds: ["a", "b"] },
		],
		["any outlet for a list without any", { outlet_scope: "unselected", outlet_ids: [] }, { kind: "any" }],
		["every outlet", { outlet_scope: "all" }, { kind: "all" }],
		["an older token's outlet", { outlet_id: "a" }, { kind: "some", outletIds: ["a"] }],
		["every outlet for an older token of the headquarters", { is_hq_user: true }, { kind: "all" }],
		["any outlet for another older token", {}, { kind: "any" }],
	] as ReadonlyArray<readonly [string, object, OutletScope]>)("is %s", (_, claims, scope) => {
		expect(outletScopeOf(claims)).toEqual(scope);
	});
});

function idsOf(choice: OutletState): readonly string[] {
	if (choice.kind === "choosing") return choice.outlets.map(({ id }) => id);
	return choice.kind === "selected" ? [choice.outletId] : [];
}

describe("the choice of an outlet", () => {
	test("all can be selected exactly if the scope is all, and an outlet exactly if it is in the scope", () => {
		fc.assert(
			fc.property(anyScope, anyId, (scope, id) => {
				expect(mayChoose(scope, "all")).toBe(scope.kind === "all");
				expect(mayChoose(scope, id)).toBe(isInScope(scope, id));
				expect(mayChoose(scope, id)).toBe(scope.kind !== "some" || scope.outletIds.includes(id));
			}),
		);
	});

	const anyChoice = fc.record({ outlets: anyOutlets, scope: anyScope, lastUsed: anyIds });
	const openIn = (outlets: readonly PublicOutlet[], scope: OutletScope) =>
		outlets.filter(({ id, status }) => status !== "archived" && mayChoose(scope, id)).map(({ id }) => id);

	test("without a stored outlet a single one is selected, and only people bound to several choose", () => {
		fc.assert(
			fc.property(anyChoice, ({ outlets, scope, lastUsed }) => {
				const open = openIn(outlets, scope);
				const choice = selectOutlet(outlets, { scope, stored: undefined, lastUsed });
				const several = { all: "all", any: "none", some: "choosing" }[scope.kind];
				expect(choice.kind).toBe(["none", "selected"][open.length] ?? several);
				const isOffered = choice.kind === "choosing" || choice.kind === "selected";
				expect(idsOf(choice).toSorted()).toEqual(isOffered ? open.toSorted() : []);
			}),
		);
	});

	test("a stored outlet is restored exactly if it is open and in scope, and all if the scope is all", () => {
		fc.assert(
			fc.property(anyChoice, fc.constantFrom(...ids, "all"), ({ outlets, scope, lastUsed }, stored) => {
				const isRestored = stored === "all" ? scope.kind === "all" : openIn(outlets, scope).includes(stored);
				const restored = stored === "all" ? { kind: "all" } : { kind: "selected", outletId: stored };
				const otherwise = selectOutlet(outlets, { scope, stored: undefined, lastUsed });
				const choice = selectOutlet(outlets, { scope, stored, lastUsed });
				expect(choice).toEqual(isRestored ? restored : otherwise);
			}),
		);
	});

	test("open outlets are listed with the last used first and the others in their order", () => {
		fc.assert(
			fc.property(anyOutlets, fc.shuffledSubarray(ids), (outlets, lastUsed) => {
				const open = outlets.filter(({ status }) => status !== "archived").map(({ id }) => id);
				const used = lastUsed.filter((id) => open.includes(id));
				const others = open.filter((id) => !lastUsed.includes(id));
				expect(listOpenOutlets(outlets, lastUsed).map(({ id }) => id)).toEqual([...used, ...others]);
			}),
		);
	});

	test("the outlet of the session is selected unless the scope is all", () => {
		fc.assert(
			fc.property(anyScope, fc.constantFrom("", ...ids), (scope, outletId) => {
				const isSelected = outletId !== "" && scope.kind !== "all";
				expect(preselectOutlet(scope, outletId)).toEqual(
					isSelected ? { kind: "selected", outletId } : undefined,
				);
			}),
		);
	});
});
