import { ClientError } from "@lango/client";
import { expect, test } from "vitest";
import { isPending, mayRetry, tenantNameOf } from "./me.ts";

test.each([
	["pending", true],
	["pending_review", true],
	["active", false],
])("a person with the status %s waits for approval: %s", (status, waits) => {
	expect(isPending({ status })).toBe(waits);
});

test.each([
	[new ClientError("session_ended", { status: 401 }), 0, false],
	[new ClientError("forbidden", { status: 403 }), 0, false],
	[new ClientError("internal", { status: 500 }), 0, true],
	[new ClientError("internal", { status: 500 }), 1, false],
	[new ClientError("unreachable"), 0, true],
])("auth/me is retried after %s and %d previous failures: %s", (error, failures, again) => {
	expect(mayRetry(failures, error)).toBe(again);
});

test("a tenant is shown by its name, or by its slug if the person is no longer a member", () => {
	const uhai = { tenant_id: "t1", slug: "uhai", name: "Uhai Hospital", roles: [], status: "active" };
	const me = { tenant_id: "t1", tenant_slug: "uhai", memberships: [uhai] };
	expect(tenantNameOf(me as never)).toBe("Uhai Hospital");
	expect(tenantNameOf({ ...me, memberships: [] } as never)).toBe("uhai");
});
