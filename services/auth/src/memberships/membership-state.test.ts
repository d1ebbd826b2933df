import { expect, test } from "vitest";
import {
	isHqUser,
	type MembershipState,
	outletsOf,
	rolesOf,
	scopeClaimsOf,
	workplaceOf,
} from "./membership-state.ts";

const outlet = (code: string) => ({ id: `id-${code}`, code, useCase: "retail" });

/** A user with roles in a tenant of two outlets. */
function somebody({
	membershipStatus = "active",
	userStatus = "active",
	roles = ["staff"],
	isHq: isHqUser = false,
	outlets = [outlet("A"), outlet("B")],
	hasOutlets = true,
}: {
	membershipStatus?: string;
	userStatus?: string;
	roles?: readonly string[];
	isHq?: boolean;
	outlets?: MembershipState["outlets"];
	hasOutlets?: boolean;
}): MembershipState {
	return {
		user: {
			id: "u",
			email: "u@x.example",
			emailVerified: true,
			name: "U",
			status: userStatus,
			primaryTenantId: "t",
			selectedPlan: null,
			locale: null,
			theme: null,
		},
		tenant: { id: "t", slug: "x", name: "X", status: "active", hasOutlets },
		membership: { roles, status: membershipStatus, isHqUser },
		outlets,
	};
}

test("a headquarters member is not bound to an outlet", () => {
	const one = somebody({ isHq: true });
	expect(isHqUser(one)).toBe(true);
	expect(workplaceOf(one, "id-A")).toEqual({ outlet: undefined, mustChoose: false });
	expect(scopeClaimsOf(one, undefined)).toEqual({ outlet_scope: "all" });
});

const outlets = (count: number) => Array.from({ length: count }, (_, index) => outlet(`O${index}`));

test("a token lists the outlets of a person who has not selected one, up to fifty; with more the list is empty", () => {
	expect(scopeClaimsOf(somebody({}), outlet("A"))).toEqual({ outlet_scope: "selected" });
	for (const [count, listed] of [
		[0, 0],
		[2, 2],
		[50, 50],
		[51, 0],
	] as const) {
		const claims = scopeClaimsOf(somebody({ outlets: outlets(count) }), undefined);
		expect(claims).toEqual({
			outlet_scope: "unselected",
			outlet_ids: outlets(listed).map(({ id }) => id),
		});
	}
});

test("a token's scope is all in a tenant without active outlets, except for a person who waits for approval", () => {
	const nowhere = { outlets: [], hasOutlets: false };
	expect(scopeClaimsOf(somebody(nowhere), undefined)).toEqual({ outlet_scope: "all" });
	expect(isHqUser(somebody(nowhere))).toBe(false);
	const waiting = somebody({ ...nowhere, membershipStatus: "pending" });
	expect(scopeClaimsOf(waiting, undefined)).toEqual({ outlet_scope: "unselected", outlet_ids: [] });
});

test("a pending user is not a headquarters member and has no outlets to select", () => {
	for (const status of [
		{ membershipStatus: "pending" },
		{ membershipStatus: "pending_review" },
		{ userStatus: "pending" },
	]) {
		const waiting = somebody({ ...status, isHq: true, roles: ["admin"] });
		expect([isHqUser(waiting), rolesOf(waiting), outletsOf(waiting)]).toEqual([false, [], []]);
		expect(scopeClaimsOf(waiting, undefined)).toEqual({ outlet_scope: "unselected", outlet_ids: [] });
		expect(workplaceOf(waiting, "id-A")).toEqual({ outlet: undefined, mustChoose: false });
		const atOne = somebody({ ...status, outlets: [outlet("A")] });
		expect(workplaceOf(atOne, null)).toEqual({ outlet: undefined, mustChoose: false });
	}
});

test("a single outlet is selected by itself, and of several one must be selected", () => {
	expect(workplaceOf(somebody({ outlets: [outlet("A")] }), null).outlet?.code).toBe("A");
	expect(workplaceOf(somebody({}), null)).toEqual({ outlet: undefined, mustChoose: true });
	expect(workplaceOf(somebody({}), "id-B")).toEqual({ outlet: outlet("B"), mustChoose: false });
	expect(workplaceOf(somebody({}), "id-C")).toEqual({ outlet: undefined, mustChoose: true });
});
