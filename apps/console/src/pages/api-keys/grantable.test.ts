import { expect, test } from "vitest";
import { listGrantable } from "./grantable.ts";

const declared = ["ordering.audit.view", "ordering.orders.change", "ordering.orders.view"];

test("a key can be given what its creator isGranted, with the actions that manage includes", () => {
	const held = { granted: new Set(["ordering.orders.manage"]), platformPermissions: [] };
	expect(listGrantable("ordering", declared, held)).toEqual([
		"ordering.orders.change",
		"ordering.orders.view",
	]);
});

test("codes of the platform are offered where the service's routes require them and the creator isGranted them", () => {
	const held = {
		granted: new Set<string>(),
		platformPermissions: ["orders:change", "riders:read", "auth.users.view"],
	};
	expect(listGrantable("ordering", declared, held)).toEqual(["orders:change"]);
	expect(listGrantable("logistics", [], held)).toEqual(["riders:read"]);
	expect(listGrantable("hospital", [], held)).toEqual([]);
});

test("a creator who cannot list the permissions of the service is offered the codes they hold", () => {
	const held = { granted: new Set(["pos.b.view", "pos.a.view"]), platformPermissions: [] };
	expect(listGrantable("pos", undefined, held)).toEqual(["pos.a.view", "pos.b.view"]);
});
