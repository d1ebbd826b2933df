import { expect, test } from "vitest";
import { isHqUser, outletsOf, rolesOf, type Standing, workplaceOf } from "./standing.ts";

const outlet = (code: string) => ({ id: `id-${code}`, code, useCase: "retail" });

/** Somebody with roles in a tenant of two outlets; who they are is told by what differs. */
function somebody({
	membershipStatus = "active",
	userStatus = "active",
	roles = ["staff"],
	isHq = false,
	outlets = [outlet("A"), outlet("B")],
}: {
	membershipStatus?: string;
	userStatus?: string;
	roles?: readonly string[];
	isHq?: boolean;
	outlets?: Standing["outlets"];
}): Standing {
	return {
		user: {
			id: "u",
			email: "u@x.example",
			emailVerified: true,
			name: "U",
			status: userStatus,
			primaryTenantId: "t",
			selectedPlan: null,
		},
		tenant: { id: "t", slug: "x", name: "X", status: "active" },
		membership: { roles, status: membershipStatus, isHq },
		outlets,
	};
}

test("HQ people, administrators and superusers are bound to no outlet", () => {
	for (const one of [{ isHq: true }, { roles: ["admin"] }, { roles: ["superuser"] }]) {
		expect(isHqUser(somebody(one))).toBe(true);
		expect(workplaceOf(somebody(one), "id-A")).toEqual({ outlet: undefined, mustChoose: false });
	}
});

test("who waits for approval is not of the HQ, has no outlet and is offered none", () => {
	for (const status of [
		{ membershipStatus: "pending" },
		{ membershipStatus: "pending_review" },
		{ userStatus: "pending" },
	]) {
		const waiting = somebody({ ...status, isHq: true, roles: ["admin"] });
		expect([isHqUser(waiting), rolesOf(waiting), outletsOf(waiting)]).toEqual([false, [], []]);
		expect(workplaceOf(waiting, "id-A")).toEqual({ outlet: undefined, mustChoose: false });
		const atOne = somebody({ ...status, outlets: [outlet("A")] });
		expect(workplaceOf(atOne, null)).toEqual({ outlet: undefined, mustChoose: false });
	}
});

test("a single outlet needs no choosing, several do until one of them is chosen", () => {
	expect(workplaceOf(somebody({ outlets: [outlet("A")] }), null).outlet?.code).toBe("A");
	expect(workplaceOf(somebody({}), null)).toEqual({ outlet: undefined, mustChoose: true });
	expect(workplaceOf(somebody({}), "id-B")).toEqual({ outlet: outlet("B"), mustChoose: false });
	expect(workplaceOf(somebody({}), "id-C")).toEqual({ outlet: undefined, mustChoose: true });
});
