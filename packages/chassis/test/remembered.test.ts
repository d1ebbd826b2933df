import { randomUUID } from "node:crypto";
import { authSessionRevoked, authUserDisabled, type PublicTenant } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineBakery } from "./bakery.ts";
import { openFloor } from "./shop-floor.ts";

const floor = setUp(() => openFloor(defineBakery(), now));
let admin: { id: string; token: string };
let offsetMs = 0;
const now = () => new Date(Date.now() + offsetMs);
const later = (seconds: number) => {
	offsetMs += seconds * 1_000;
};
beforeAll(async () => {
	admin = await floor.meet("admin");
});

/**
 * The database notifies every process that a row changed. Until then a response may be stale.
 */
const becomes = (status: number, ask: () => Promise<{ status: number }>) =>
	expect.poll(async () => (await ask()).status).toBe(status);
const sql = ({ id }: PublicTenant, text: string, values: unknown[]) =>
	inTenant(floor.database.db, id, (tx) => tx.query(text, values));

describe("somebody who has just been answered, and answered again,", () => {
	let seller: { id: string; token: string };
	const loaves = (more: object = {}) => floor.ask("GET", "/loaves", { ...seller, ...more });
	beforeEach(async () => {
		seller = await floor.meet("staff");
		for (let time = 0; time < 3; time += 1) expect((await loaves()).status).toBe(200);
	});

	test("is refused what another route asks for beyond that", async () => {
		const body = {};
		expect((await floor.ask("POST", "/loaves", { ...seller, body })).status).toBe(403);
		expect((await floor.ask("GET", "/catalog", seller)).status).toBe(403);
		expect((await floor.ask("GET", "/catalog/loaves", seller)).status).toBe(403);
	});

	test("does not find another tenant, by its address or by a header beside their own", async () => {
		const { kahawa } = floor.tenants;
		expect((await loaves({ at: kahawa })).status).toBe(404);
		expect((await loaves({ headers: { "x-tenant-id": kahawa.id } })).body).toMatchObject({ tenant: "uhai" });
	});

	test("is refused a header or a query that names no tenant or another, as ever", async () => {
		const refused = { status: 400, body: { code: "invalid_input" } };
		expect(await loaves({ headers: { "x-tenant-id": "uhai" } })).toMatchObject(refused);
		for (const named of ["x", floor.tenants.kahawa.id])
			expect(await floor.ask("GET", `/loaves?tenantId=${named}`, seller)).toMatchObject(refused);
	});

	test("is refused at once when the role is taken from them, and admitted when it is given back", async () => {
		const body = { user_id: seller.id };
		const { status } = await floor.ask("POST", "/roles/guest/assignments", { ...admin, body });
		expect([status, (await loaves()).status]).toEqual([201, 403]);
		await floor.ask("POST", "/roles/seller/assignments", { ...admin, body });
		expect((await loaves()).status).toBe(200);
	});

	test("is refused from the moment a role they were given ends, by the service's clock", async () => {
		const guest = await floor.meet("member");
		const ask = () => floor.ask("GET", "/loaves", guest);
		const expires_at = new Date(now().getTime() + 30_000).toISOString();
		await floor.ask("POST", "/roles/seller/assignments", {
			...admin,
			body: { user_id: guest.id, expires_at },
		});
		for (let time = 0; time < 3; time += 1) expect((await ask()).status).toBe(200);
		later(20);
		for (let time = 0; time < 3; time += 1) expect((await ask()).status).toBe(200);
		later(10);
		expect((await ask()).status).toBe(403);
	});

	test("is refused from the moment their token expires, and not before", async () => {
		const claims = { sub: randomUUID(), exp: Math.floor(now().getTime() / 1_000) + 20 };
		const token = floor.token(floor.tenants.uhai, "staff", claims);
		const ask = async () => (await floor.ask("GET", "/loaves", { token })).status;
		expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
		later(20 + 40);
		expect([await ask(), await ask()]).toEqual([200, 200]);
		later(20);
		expect(await ask()).toBe(401);
	});

	test("is refused with 401 after the event that their session ended", async () => {
		const sid = randomUUID();
		const token = floor.token(floor.tenants.uhai, "staff", { sub: seller.id, sid });
		const ask = () => floor.ask("GET", "/loaves", { token });
		for (let time = 0; time < 3; time += 1) expect((await ask()).status).toBe(200);
		const data = { session_id: sid, user_id: seller.id, because: "test", at: now().toISOString() };
		await recordEvent(floor.database.db, authSessionRevoked, { subject: sid, now: now(), data });
		await becomes(401, ask);
		expect((await ask()).body).toMatchObject({ code: "token_invalid" });
		expect((await loaves()).status).toBe(200);
	});

	test("has the data of the newest token, also with an older one", async () => {
		const iat = Math.floor(now().getTime() / 1_000) + 1;
		const newer = floor.token(floor.tenants.uhai, "member", {
			sub: seller.id,
			email: `${seller.id}@x.example`,
			iat,
		});
		expect((await floor.ask("GET", "/loaves", { token: newer })).status).toBe(403);
		expect((await loaves()).status).toBe(403);
	});

	test("is refused an outlet that is not their token's", async () => {
		const claims = { sub: randomUUID(), outlet_id: randomUUID() };
		const bound = { token: floor.token(floor.tenants.uhai, "staff", claims) };
		const statuses: number[] = [];
		for (const outlet of [undefined, undefined, randomUUID(), claims.outlet_id, randomUUID(), undefined]) {
			const headers: Record<string, string> = outlet === undefined ? {} : { "x-outlet-id": outlet };
			statuses.push((await floor.ask("GET", "/loaves", { ...bound, headers })).status);
		}
		expect(statuses).toEqual([200, 200, 403, 200, 403, 200]);
	});

	test("is refused what the plan of their tenant has not, however often they may do it", async () => {
		const before = floor.subscriptions.records.get(floor.tenants.uhai.id);
		if (before === undefined) throw new Error("the tenant has no record");
		const ask = () => floor.ask("GET", "/feature", seller);
		/** A snapshot is used for a minute; then the next read has a new one fetched. */
		const set = (features: string[]) => {
			floor.subscriptions.records.set(floor.tenants.uhai.id, { ...before, features });
			later(61);
		};
		set(["loyalty_program"]);
		await expect.poll(async () => (await ask()).status).toBe(200);
		for (let time = 0; time < 3; time += 1) expect((await ask()).status).toBe(200);
		set([]);
		await expect.poll(ask).toMatchObject({ status: 403, body: { code: "feature_unavailable" } });
		floor.subscriptions.records.set(floor.tenants.uhai.id, before);
	});

	test("is refused after the event that they are disabled", async () => {
		const data = { user_id: seller.id, version: 2 };
		await recordEvent(floor.database.db, authUserDisabled, { subject: seller.id, now: now(), data });
		await becomes(403, loaves);
		expect((await loaves()).body).toMatchObject({ code: "account_pending" });
	});

	test("is refused when their tenant is suspended, and admitted when it is active again", async () => {
		const { kahawa } = floor.tenants;
		const barista = await floor.meet("staff", kahawa);
		const ask = () => floor.ask("GET", "/loaves", { ...barista, at: kahawa });
		for (let time = 0; time < 3; time += 1) expect((await ask()).status).toBe(200);
		const set = (status: string) =>
			sql(kahawa, "update tenants set status = $2 where id = $1", [kahawa.id, status]);
		await set("suspended");
		await becomes(403, ask);
		expect((await ask()).body).toMatchObject({ code: "tenant_inactive" });
		await set("active");
		await becomes(200, ask);
	});

	test("has the rights of an outlet only at that outlet", async () => {
		const outlet_id = floor.outletOf(floor.tenants.uhai);
		const guest = await floor.meet("member");
		const body = { user_id: guest.id, outlet_id };
		await floor.ask("POST", "/roles/seller/assignments", { ...admin, body });
		const headers = { "x-outlet-id": outlet_id };
		const statuses: number[] = [];
		for (const more of [{}, { headers }, {}, { headers }, { headers: { "x-outlet-id": randomUUID() } }, {}])
			statuses.push((await floor.ask("GET", "/loaves", { ...guest, ...more })).status);
		expect(statuses).toEqual([403, 200, 403, 200, 403, 403]);
		const elsewhere = () => floor.ask("GET", "/loaves/any", { ...guest, headers });
		expect([(await elsewhere()).status, (await elsewhere()).status]).toEqual([403, 403]);
	});
});

test("a caller with an _own permission has an owner at each request, a caller with the full permission never", async () => {
	const code = "own_baker";
	const made = await floor.ask("POST", "/roles", {
		...admin,
		body: { code, permissions: ["bakery.loaves.view_own"] },
	});
	expect(made.status).toBe(201);
	const person = await floor.meet("member");
	await floor.ask("POST", `/roles/${code}/assignments`, { ...admin, body: { user_id: person.id } });
	for (let time = 0; time < 3; time += 1) {
		expect((await floor.ask("GET", "/loaves/own", person)).body.owner).toBe(person.id);
		expect((await floor.ask("GET", "/loaves/own", admin)).body.owner).toBeUndefined();
	}
});

test("the platform's owner leaves an audit row for each pass, however often they pass", async () => {
	const { lango, duka } = floor.tenants;
	const owner = await floor.meet("superuser", lango);
	for (let time = 0; time < 3; time += 1)
		expect((await floor.ask("GET", "/loaves", { ...owner, at: duka })).status).toBe(200);
	const passes = await sql(
		duka,
		"select 1 from audit_log where action = 'access.passed' and detail->'passed' ? 'tenant' and actor_id = $1",
		[owner.id],
	);
	expect(passes.length).toBeGreaterThanOrEqual(3);
});
