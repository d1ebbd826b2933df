import { randomUUID } from "node:crypto";
import { authUserDeleted, type PublicTenant } from "@lango/contracts";
import { countTenantRows, fillAccess, repointTenant, testSubscription, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { openFleet } from "./fleet.ts";

const fleet = setUp(openFleet);

const count = (tenantId: string) => countTenantRows(fleet.database.db, tenantId);
const repoint = (from: PublicTenant, to: string) =>
	repointTenant(fleet.database.db, { slug: from.slug, from: from.id, to });
const riders = (tenantId: string) =>
	fleet.rows<{ status: string; name: string }>(
		"select status, name from riders where tenant_id = $1 order by status",
		[tenantId],
	);
/** The fleet's count, and the sum of the reports sent and waiting under the tenant id. */
async function known(tenantId: string) {
	const sent = fleet.subscriptions.reported.filter((one) => one.tenantId === tenantId);
	const waiting = await fleet.rows<{ change: number }>(
		"select change from rider_reports where tenant_id = $1",
		[tenantId],
	);
	const [row] = await fleet.rows<{ riders: number }>("select riders from fleets where tenant_id = $1", [
		tenantId,
	]);
	const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
	return {
		counted: row?.riders,
		reported: sum(sent.map(({ value }) => value)) + sum(waiting.map(({ change }) => change)),
	};
}

/** A tenant with rows in every table, and these riders with their statuses. */
async function filled(people: Readonly<Record<string, "active" | "pending">>): Promise<PublicTenant> {
	const tenant = testTenant(`t-${randomUUID().slice(0, 8)}`);
	fleet.issuer.tenants.push(tenant);
	const [outlet] = fleet.issuer.outlets.get("uhai") ?? [];
	if (outlet !== undefined) fleet.issuer.outlets.set(tenant.slug, [{ ...outlet, id: randomUUID() }]);
	const plan = { products: ["logistics"], limits: { max_riders: -1 } };
	fleet.subscriptions.records.set(tenant.id, testSubscription(tenant.id, plan));
	const base = `/api/v1/${tenant.slug}/logistics`;
	const token = fleet.token(tenant, "admin");
	const asAdmin = async (method: string, path: string, body?: object) => {
		const answer = await fleet.call({ method, url: `${base}/${path}`, token, body });
		if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
		return answer.body;
	};
	for (const [subject, status] of Object.entries(people)) {
		const rider = fleet.token(tenant, "rider", { sub: subject });
		await fleet.call({ method: "GET", url: `${base}/auth/me`, token: rider });
		const { id } = await asAdmin("POST", "riders", { user_id: subject });
		if (status === "active") await asAdmin("POST", `riders/${id}/approve`);
	}
	await fillAccess(asAdmin, { subject: Object.keys(people)[0] ?? "", permission: "logistics.roles.view" });
	return tenant;
}

test("a tenant that arrives with another id keeps its rows of every table, and its riders are reported under that id", async () => {
	const tenant = await filled({ [randomUUID()]: "active", [randomUUID()]: "active" });
	await fleet.service.jobs.runDue();
	await filled({ [randomUUID()]: "active" });
	const rider = randomUUID();
	const later = await filled({ [rider]: "active" });
	const had = await count(later.id);
	expect(Object.entries(had).filter(([, rows]) => rows === 0)).toEqual([]);
	const [first, second] = [randomUUID(), randomUUID()];
	expect(await repoint(later, first)).toEqual([]);
	expect(await count(first)).toEqual(had);
	expect(Object.values(await count(later.id)).every((rows) => rows === 0)).toBe(true);
	await repoint(tenant, second);
	expect(await known(second)).toEqual({ counted: 2, reported: 2 });
	expect(await known(first)).toEqual({ counted: 1, reported: 1 });
});

describe("a tenant with riders under both ids", () => {
	test("keeps each person once, as changed later, and counts and reports active riders", async () => {
		const [both, one, other] = [randomUUID(), randomUUID(), randomUUID()];
		const to = await filled({ [both]: "active", [other]: "active" });
		await fleet.service.jobs.runDue();
		const from = await filled({ [both]: "pending", [one]: "active" });
		await repoint(from, to.id);
		expect((await riders(to.id)).map(({ status }) => status)).toEqual(["active", "active", "pending"]);
		expect(await known(to.id)).toEqual({ counted: 2, reported: 2 });
		expect(Object.values(await count(from.id)).every((rows) => rows === 0)).toBe(true);
	});

	test("does not restore the data of a person who was erased under one of them", async () => {
		const subject = randomUUID();
		const from = await filled({ [subject]: "active" });
		await fleet.publish(authUserDeleted, subject, { version: 2, inAll: true });
		await expect.poll(() => riders(from.id)).toEqual([{ status: "erased", name: "" }]);
		const to = await filled({ [subject]: "active" });
		await repoint(from, to.id);
		expect(await riders(to.id)).toEqual([{ status: "erased", name: "" }]);
		expect(await known(to.id)).toEqual({ counted: 0, reported: 0 });
	});
});
