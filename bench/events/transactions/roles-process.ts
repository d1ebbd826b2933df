import { randomUUID } from "node:crypto";
import { createAccess, permissionsOfModules, seedAccess } from "@lango/access";
import { openPool } from "@lango/postgres";
import { answerSlices } from "./answer-slices.ts";
import { recordTenants } from "./transactions.store.ts";

/**
 * Alternately assigns and revokes a role by the role module of the domain services, with one tenant for each
 * concurrent transaction (those of one tenant wait for each other). Its argument is the URL of its database.
 */
const [, , url = ""] = process.argv;
const db = openPool({ url, name: "bench", sizeMax: 8 });
const lanesMax = 8;
const access = createAccess({
	db,
	now: () => new Date(),
	service: "ordering",
	firstRole: (from) => (from.includes("admin") ? "ordering_admin" : "ordering_viewer"),
});
await seedAccess(db, {
	permissions: permissionsOfModules("ordering", { orders: ["view", "change"], roles: ["manage"] }),
	roles: {
		ordering_admin: ["ordering.orders.view", "ordering.orders.change", "ordering.roles.manage"],
		ordering_operator: ["ordering.orders.view", "ordering.orders.change"],
		ordering_viewer: ["ordering.orders.view"],
	},
});
const places = Array.from({ length: lanesMax }, () => ({
	tenantId: randomUUID(),
	subject: randomUUID(),
	boss: randomUUID(),
	isAssigned: false,
}));
await recordTenants(
	db,
	places.map(({ tenantId }) => tenantId),
);
for (const { tenantId, subject, boss } of places) {
	const person = {
		email: "asha@bench.example",
		name: "Asha",
		status: "active",
		issuedAt: new Date(),
		isHq: false,
	};
	await access.ensureUserFromToken(tenantId, { ...person, subject, globalRoles: ["staff"] });
	await access.ensureUserFromToken(tenantId, { ...person, subject: boss, globalRoles: ["admin"] });
}

answerSlices({
	async transact(lane) {
		const place = places[lane];
		if (place === undefined) throw new Error(`there are ${lanesMax} tenants`);
		const { tenantId, subject, boss } = place;
		const assignment = { tenantId, subject, role: "ordering_operator" };
		const detail = { by: { kind: "user", id: boss }, requestId: randomUUID(), address: "192.0.2.7" } as const;
		if (place.isAssigned) await access.revokeRole(assignment, detail);
		else await access.assignRole(assignment, detail);
		place.isAssigned = !place.isAssigned;
	},
});
