import { expect, test } from "vitest";
import { listGrantable } from "./grantable.ts";

const declared = ["ordering.audit.view", "ordering.orders.change", "ordering.orders.view"];

test("a key can get the permissions of its creator, with the actions that manage includes", () => {
	const creator = { granted: new Set(["ordering.orders.manage"]), platformPermissions: [] };
	expect(listGrantable("ordering", declared, creator)).toEqual([
		"ordering.orders.change",
		"ordering.orders.view",
	]);
});

test("canonical permissions are offered if the service's routes require them and the creator holds them", () => {
	const creator = {
		granted: new Set<string>(),
		platformPermissions: ["orders:change", "riders:read", "auth.users.view"],
	};
	expect(listGrantable("ordering", declared, creator)).toEqual(["orders:change"]);
	expect(listGrantable("logistics", [], creator)).toEqual(["riders:read"]);
	expect(listGrantable("hospital", [], creator)).toEqual([]);
});

test("a creator who cannot list the permissions of the service is offered the codes they hold", () => {
	const creator = { granted: new Set(["pos.b.view", "pos.a.view"]), platformPermissions: [] };
	expect(listGrantable("pos", undefined, creator)).toEqual(["pos.a.view", "pos.b.view"]);
});
