import { randomUUID } from "node:crypto";
import {
	authUserCreated,
	authUserDeleted,
	authUserDisabled,
	authUserLogin,
	authUserUpdated,
	tenantDeleted,
} from "@lango/contracts";
import { testEvent, testSubscription } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { openFleet } from "./fleet.ts";

const fleet = setUp(openFleet);

const person = { email: "juma@uhai.example", name: "Juma", roles: ["rider"], status: "pending" };
const changed = { ...person, email_verified: true, is_hq: false, outlet_ids: [], version: 2 };
const riders = (subject: string) =>
	fleet.rows<{ id: string; name: string; email: string; status: string }>(
		"select id, name, email, status from riders where auth_service_user_id = $1",
		[subject],
	);
const counted = async () => {
	const [row] = await fleet.rows<{ riders: number }>("select riders from fleets where tenant_id = $1", [
		fleet.tenants.uhai.id,
	]);
	return row?.riders ?? 0;
};
const act = (id: string, verb: string) => fleet.ask("POST", `riders/${id}/${verb}`);

describe("a person with the role rider", () => {
	test("becomes a pending rider by auth.user.created, and follows changes of the person", async () => {
		const id = randomUUID();
		await fleet.publish(authUserCreated, id, person);
		await expect.poll(() => riders(id)).toMatchObject([{ name: "Juma", status: "pending" }]);
		await fleet.publish(authUserUpdated, id, { ...changed, name: "Juma Otieno", status: "active" });
		await expect.poll(() => riders(id)).toMatchObject([{ name: "Juma Otieno", status: "pending" }]);
	});

	test("becomes a rider by an event or a sign-in with the role, and not without the role", async () => {
		const [later, signedIn, member] = [randomUUID(), randomUUID(), randomUUID()];
		await fleet.publish(authUserCreated, member, { ...person, roles: ["member"] });
		await fleet.publish(authUserCreated, later, { ...person, roles: ["member"] });
		await fleet.publish(authUserUpdated, later, changed);
		const at = new Date().toISOString();
		await fleet.publish(authUserLogin, signedIn, { ...person, client_id: "rider-app", at });
		for (const id of [later, signedIn])
			await expect.poll(() => riders(id)).toMatchObject([{ status: "pending" }]);
		expect(await riders(member)).toEqual([]);
	});

	test("sees only themselves and cannot approve riders", async () => {
		const [id, other] = [randomUUID(), await fleet.newRider()];
		await fleet.publish(authUserCreated, id, person);
		await expect.poll(() => riders(id)).toHaveLength(1);
		const token = fleet.token(fleet.tenants.uhai, "rider", { sub: id, permissions: ["riders:read"] });
		expect((await fleet.ask("GET", "auth/me", { token })).body).toMatchObject({ service_role: "rider" });
		const { body } = await fleet.ask("GET", "riders", { token });
		expect(body).toMatchObject({ items: [{ user_id: id, status: "pending" }], next_cursor: null });
		const [own] = body.items as [{ id: string }];
		const read = async (rider: string) => (await fleet.ask("GET", `riders/${rider}`, { token })).status;
		expect([await read(own.id), await read(other.id)]).toEqual([200, 404]);
		expect((await fleet.ask("POST", `riders/${own.id}/approve`, { token })).status).toBe(403);
	});

	test.each(["removed", "disabled"])("who is %s is suspended and no longer counted", async (status) => {
		const { id, subject } = await fleet.newRider();
		await act(id, "approve");
		const before = await counted();
		await fleet.publish(authUserUpdated, subject, { ...changed, status });
		await expect.poll(() => riders(subject)).toMatchObject([{ status: "suspended" }]);
		expect(await counted()).toBe(before - 1);
	});

	test("a person who may no longer sign in is suspended in every tenant until an administrator readmits them", async () => {
		const { id, subject } = await fleet.newRider();
		const waiting = await fleet.newRider();
		await act(id, "approve");
		const before = await counted();
		const reports = () =>
			fleet.rows("select change from rider_reports where tenant_id = $1", [fleet.tenants.uhai.id]);
		const reported = (await reports()).length;
		for (const one of [subject, waiting.subject])
			await fleet.publish(authUserDisabled, one, { version: 2, inAll: true });
		for (const one of [subject, waiting.subject])
			await expect.poll(() => riders(one)).toMatchObject([{ status: "suspended" }]);
		expect(await counted()).toBe(before - 1);
		expect((await reports()).slice(reported)).toEqual([{ change: -1 }]);
		await fleet.publish(authUserUpdated, subject, {
			...changed,
			status: "active",
			version: 3,
			name: "Juma O.",
		});
		await expect.poll(() => riders(subject)).toMatchObject([{ name: "Juma O.", status: "suspended" }]);
		expect((await act(id, "readmit")).status).toBe(200);
		expect(await counted()).toBe(before);
	});

	test("a person who may not sign in does not become a rider", async () => {
		const [barred, next] = [randomUUID(), randomUUID()];
		await fleet.publish(authUserUpdated, barred, { ...changed, status: "disabled" });
		await fleet.publish(authUserUpdated, next, changed);
		await expect.poll(() => riders(next)).toHaveLength(1);
		expect(await riders(barred)).toEqual([]);
	});

	test("an erased person leaves no personal data, is no longer counted, and is never restored", async () => {
		const { id, subject } = await fleet.newRider();
		await act(id, "approve");
		const before = await counted();
		await fleet.publish(authUserDeleted, subject, { version: 3, inAll: true });
		const empty = [{ id, name: "", email: "", status: "erased" }];
		await expect.poll(() => riders(subject)).toEqual(empty);
		expect(await counted()).toBe(before - 1);
		expect((await fleet.ask("GET", `riders/${id}`)).status).toBe(404);
		const later = randomUUID();
		await fleet.publish(authUserCreated, subject, person);
		await fleet.publish(authUserCreated, later, person);
		await expect.poll(() => riders(later)).toHaveLength(1);
		expect(await riders(subject)).toEqual(empty);
	});
});

describe("an administrator", () => {
	test("approves, suspends and readmits with an audit row each, idempotently", async () => {
		const { id, subject } = await fleet.newRider();
		const before = await counted();
		for (const [verb, status, riding] of [
			["approve", "active", 1],
			["approve", "active", 1],
			["suspend", "suspended", 0],
			["suspend", "suspended", 0],
			["readmit", "active", 1],
		] as const) {
			expect(await act(id, verb)).toMatchObject({ status: 200, body: { id, user_id: subject, status } });
			expect(await counted()).toBe(before + riding);
		}
		const audited = await fleet.rows("select action, detail from audit_log where subject = $1 order by id", [
			subject,
		]);
		expect(audited).toEqual([
			{ action: "rider.added", detail: { before: "pending" } },
			{ action: "rider.active", detail: { before: "pending" } },
			{ action: "rider.suspended", detail: { before: "active" } },
			{ action: "rider.active", detail: { before: "suspended" } },
		]);
	});

	test("gets the current status of a rider that does not allow the change", async () => {
		const { id } = await fleet.newRider();
		expect(await act(id, "readmit")).toMatchObject({
			status: 409,
			body: { code: "rider_status_conflict", status: "pending" },
		});
		await act(id, "suspend");
		expect(await act(id, "approve")).toMatchObject({ status: 409, body: { status: "suspended" } });
	});

	test("cannot add a rider twice, or a person unknown to the service", async () => {
		const { subject } = await fleet.newRider();
		const add = (user_id: string) => fleet.ask("POST", "riders", { body: { user_id } });
		expect(await add(subject.toUpperCase())).toMatchObject({
			status: 409,
			body: { code: "rider_exists", field: "user_id" },
		});
		expect(await add(randomUUID())).toMatchObject({
			status: 404,
			body: { code: "user_not_found", field: "user_id" },
		});
		expect(await add("juma")).toMatchObject({ status: 400, body: { field: "user_id" } });
		expect((await act(randomUUID(), "approve")).body.code).toBe("rider_not_found");
	});

	test("lists the fleet page by page, also by status", async () => {
		for (let count = 0; count < 3; count += 1) await fleet.newRider();
		const seen: string[] = [];
		let cursor = "";
		do {
			const { body } = await fleet.ask("GET", `riders?status=pending&limit=2${cursor}`);
			const items = body.items as Array<{ id: string; status: string }>;
			expect(items.length).toBeLessThanOrEqual(2);
			seen.push(...items.map(({ id, status }) => `${status} ${id}`));
			cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
		} while (cursor !== "");
		const all = await fleet.rows<{ line: string }>(
			"select 'pending ' || id as line from riders where status = 'pending' and tenant_id = $1 order by id",
			[fleet.tenants.uhai.id],
		);
		expect(seen).toEqual(all.map(({ line }) => line));
		expect((await fleet.ask("GET", "riders?cursor=x")).body).toMatchObject({ field: "cursor" });
	});
});

test("a tenant's riders are not in lists of another tenant, and are not found there by id", async () => {
	const { uhai, duka } = fleet.tenants;
	fleet.subscriptions.records.set(duka.id, testSubscription(duka.id, { products: ["logistics"] }));
	const [subject, base] = [randomUUID(), "/api/v1/duka/logistics"];
	const [token, member] = [fleet.token(duka, "admin"), fleet.token(duka, "member", { sub: subject })];
	await fleet.call({ method: "GET", url: `${base}/auth/me`, token: member });
	const body = { user_id: subject };
	const theirs = await fleet.call({ method: "POST", url: `${base}/riders`, token, body });
	const ours = await fleet.newRider();
	const both = [
		{ tenant: uhai, own: ours.id, others: String(theirs.body.id) },
		{ tenant: duka, own: String(theirs.body.id), others: ours.id },
	];
	for (const { tenant, own, others } of both) {
		const as = fleet.token(tenant, "admin");
		const ask = (path: string, at = tenant) =>
			fleet.call({ method: "GET", url: `/api/v1/${at.slug}/logistics/riders${path}`, token: as });
		const seen: string[] = [];
		for (let next: unknown = ""; next !== null; ) {
			const { body } = await ask(`?limit=2${next === "" ? "" : `&cursor=${next}`}`);
			seen.push(...(body.items as Array<{ id: string }>).map(({ id }) => id));
			next = body.next_cursor;
		}
		const all = await fleet.rows<{ id: string }>("select id from riders where tenant_id = $1", [tenant.id]);
		expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(seen));
		expect([seen.includes(own), seen.includes(others)]).toEqual([true, false]);
		expect(await ask(`/${others}`)).toMatchObject({ status: 404, body: { code: "rider_not_found" } });
		for (const path of ["", "?status=pending", `/${others}`])
			expect(await ask(path, tenant === uhai ? duka : uhai)).toMatchObject({
				status: 404,
				body: { code: "tenant_not_found" },
			});
	}
});

test("all rows of a deleted tenant are deleted", async () => {
	const { id, slug } = fleet.tenants.kahawa;
	const [subject, token] = [randomUUID(), fleet.token(fleet.tenants.kahawa, "admin")];
	const base = `/api/v1/${slug}/logistics`;
	const member = fleet.token(fleet.tenants.kahawa, "member", { sub: subject });
	await fleet.call({ method: "GET", url: `${base}/auth/me`, token: member });
	const body = { user_id: subject };
	const rider = await fleet.call({ method: "POST", url: `${base}/riders`, token, body });
	const url = `${base}/riders/${rider.body.id}/approve`;
	expect((await fleet.call({ method: "POST", url, token })).status).toBe(200);
	const left = async () => {
		const [row] = await fleet.rows<{ count: number }>(
			`select ((select count(*) from riders where tenant_id = $1) + (select count(*) from fleets where tenant_id = $1)
			       + (select count(*) from rider_reports where tenant_id = $1))::int as count`,
			[id],
		);
		return row?.count;
	};
	expect(await left()).toBe(3);
	const data = { tenant_id: id, slug, version: 9 };
	await fleet.transport.publish(testEvent(tenantDeleted, { subject: id, tenant: { id }, data }));
	await expect.poll(left).toBe(0);
});
