import { randomUUID } from "node:crypto";
import { accessConsumers } from "@lango/access";
import { type AccessTokenClaims, authUserUpdated, type PublicTenant } from "@lango/contracts";
import { addTenant, type TestClaims } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, test } from "vitest";
import { openFloor } from "./shop-floor.ts";

const floor = setUp(openFloor);
let tenant: PublicTenant;
const [main, side, far] = [randomUUID(), randomUUID(), randomUUID()];
beforeAll(async () => {
	const outlets = [main, side, far].map((id, place) => ({ id, code: `O${place}` }));
	tenant = addTenant(floor, "tawi", { outlets });
});

type Subject = { sub: string; iat?: number };
const seconds = () => Math.floor(Date.now() / 1_000);
/** The filter of a route for somebody with this token. */
async function seen({ sub, iat = seconds() }: Subject, claims: TestClaims) {
	const token = floor.token(tenant, "staff", { sub, iat, ...claims });
	const { status, body } = await floor.ask("GET", "/loaves", { token, at: tenant });
	expect(status).toBe(200);
	return body.outlets;
}
const unselected = (...outlet_ids: string[]) => ({ outlet_scope: "unselected", outlet_ids }) as const;
const selected = (outlet_id: string) => ({ outlet_scope: "selected", outlet_id }) as const;

type Update = { at?: number; outlet_ids?: string[]; is_hq?: boolean; version?: number };
/** Applies the event `auth.user.updated` with the time of this second. */
async function applyUpdate(
	{ sub }: Subject,
	{ at = seconds(), outlet_ids = [], is_hq = false, version = 1 }: Update,
): Promise<void> {
	const consumers = accessConsumers({ now: () => new Date(), firstRole: () => "seller" });
	const updated = consumers.find(({ eventType }) => eventType.type === authUserUpdated.type);
	const person = {
		user_id: sub,
		email: "staff@tawi.example",
		name: "staff",
		roles: ["staff"],
		status: "active",
	};
	await floor.database.db.transaction(async (tx) =>
		updated?.apply(tx, {
			...{ specversion: "1.0", id: randomUUID(), source: "/auth", type: authUserUpdated.type },
			...{
				time: new Date(at * 1_000).toISOString(),
				subject: sub,
				datacontenttype: "application/json",
				tenantid: tenant.id,
			},
			data: { ...person, email_verified: true, is_hq, outlet_ids, version },
		}),
	);
}

describe("an event of a person's outlets", () => {
	test("takes an outlet away from a token that listed it", async () => {
		const who = { sub: randomUUID() };
		const claims = unselected(main, side);
		expect(await seen(who, claims)).toEqual([...[main, side].sort(), null]);
		await applyUpdate(who, { outlet_ids: [side] });
		await expect.poll(() => seen(who, claims)).toEqual([side, null]);
	});

	test("takes an outlet away from a token that selected it", async () => {
		const who = { sub: randomUUID() };
		expect(await seen(who, selected(main))).toEqual([main, null]);
		await applyUpdate(who, { outlet_ids: [side] });
		await expect.poll(() => seen(who, selected(main))).toEqual([null]);
	});

	test("takes an outlet away also after a newer token selected another", async () => {
		const who = { sub: randomUUID() };
		const before = seconds() - 600;
		expect(await seen({ ...who, iat: before }, selected(main))).toEqual([main, null]);
		expect(await seen(who, selected(side))).toEqual([side, null]);
		await applyUpdate(who, { at: seconds() - 300, outlet_ids: [side] });
		await expect.poll(() => seen({ ...who, iat: before }, selected(main))).toEqual([null]);
		expect(await seen(who, selected(side))).toEqual([side, null]);
	});

	test("gives an outlet to an older token that selected none", async () => {
		const who = { sub: randomUUID() };
		expect(await seen(who, unselected(main))).toEqual([main, null]);
		await applyUpdate(who, { outlet_ids: [main, far] });
		await expect.poll(() => seen(who, unselected(main))).toEqual([...[main, far].sort(), null]);
	});

	test("ends and begins that a person is of the headquarters", async () => {
		const who = { sub: randomUUID() };
		const claims = { outlet_scope: "all", is_hq_user: true } as const;
		expect(await seen(who, claims)).toBeNull();
		await applyUpdate(who, { outlet_ids: [main], version: 1 });
		await expect.poll(() => seen(who, claims)).toEqual([main, null]);
		await applyUpdate(who, { is_hq: true, version: 2 });
		await expect.poll(() => seen(who, claims)).toBeNull();
	});

	test("counts for nothing against a newer token", async () => {
		const who = { sub: randomUUID() };
		await seen(who, unselected(main));
		await applyUpdate(who, { at: seconds() - 3_600, outlet_ids: [far] });
		expect(await seen({ ...who, iat: seconds() }, unselected(main))).toEqual([main, null]);
	});

	test("keeps its list where a token lists none of more than 50; only active outlets count", async () => {
		const who = { sub: randomUUID() };
		await seen(who, unselected(main));
		await applyUpdate(who, { outlet_ids: [main, ...Array.from({ length: 50 }, () => randomUUID())] });
		await expect.poll(() => seen(who, selected(main))).toEqual([main, null]);
		expect(await seen(who, unselected())).toEqual([main, null]);
	});
});

describe("a token of an older release", () => {
	const older = { outlet_scope: undefined };

	test("with an outlet has that outlet", async () => {
		expect(await seen({ sub: randomUUID() }, { ...older, outlet_id: side })).toEqual([side, null]);
	});

	test("of the headquarters has all outlets", async () => {
		expect(await seen({ sub: randomUUID() }, { ...older, is_hq_user: true })).toBeNull();
	});

	test("without an outlet has none, not even those that an event assigned", async () => {
		const who = { sub: randomUUID() };
		await seen(who, unselected(main));
		await applyUpdate(who, { outlet_ids: [main, far] });
		await expect.poll(() => seen(who, unselected(main))).toEqual([...[main, far].sort(), null]);
		expect(await seen(who, older)).toEqual([null]);
	});
});

test("archiving all outlets but one gives everybody that outlet, at once", async () => {
	const place = addTenant(floor, "moja", {
		outlets: [
			{ id: main, code: "A" },
			{ id: side, code: "B" },
		].map((one) => ({ ...one, id: randomUUID() })),
	});
	const token = floor.token(place, "staff", unselected());
	const ask = async () => (await floor.ask("GET", "/loaves", { token, at: place })).body.outlets;
	expect(await ask()).toEqual([null]);
	const [kept, archived] = await floor.database.db.transaction(async (tx) => {
		await tx.query("select set_config('app.tenant_id', $1, true)", [place.id]);
		const rows = await tx.query<{ id: string }>("select id from outlets order by id");
		await tx.query("update outlets set status = 'archived' where id = $1", [rows[1]?.id]);
		return rows.map(({ id }) => id);
	});
	expect(archived).toBeDefined();
	await expect.poll(ask).toEqual([kept, null]);
});

describe("a key", () => {
	const make = async (claims: Partial<AccessTokenClaims>, body: object) => {
		const sub = randomUUID();
		const token = floor.token(tenant, "member", { sub, ...claims });
		await floor.ask("GET", "/auth/me", { token, at: tenant });
		const admin = floor.token(tenant, "admin");
		await floor.ask("POST", "/roles/baker/assignments", { token: admin, at: tenant, body: { user_id: sub } });
		await expect
			.poll(async () => (await floor.ask("GET", "/api-keys", { token, at: tenant })).status)
			.toBe(200);
		const key = { name: "k", permissions: ["bakery.loaves.view"], ...body };
		return floor.ask("POST", "/api-keys", { token, at: tenant, body: key });
	};
	const scopeOf = async (key: unknown) => {
		const headers = { "x-api-key": String(key) };
		return (await floor.ask("GET", "/loaves", { at: tenant, headers })).body.outlets;
	};

	test("created by a person with some outlets is for these, or for the named ones among them", async () => {
		const all = await make(unselected(main, side), {});
		expect(all.body.outlet_ids).toEqual([main, side].sort());
		expect(await scopeOf(all.body.key)).toEqual([...[main, side].sort(), null]);
		const fewer = await make(unselected(main, side), { outlet_ids: [side.toUpperCase()] });
		expect(await scopeOf(fewer.body.key)).toEqual([side, null]);
	});

	test("made by the headquarters is for every outlet unless some are named", async () => {
		const every = await make({ is_hq_user: true }, {});
		expect(every.body.outlet_ids).toBeNull();
		expect(await scopeOf(every.body.key)).toBeNull();
		expect((await make({ is_hq_user: true }, { outlet_ids: [far] })).body.outlet_ids).toEqual([far]);
	});

	test.each([
		["another outlet", { outlet_ids: [far] }],
		["every outlet", { outlet_ids: null }],
	])("is not made for %s by somebody of some outlets", async (_, body) => {
		expect(await make(unselected(main, side), body)).toMatchObject({
			status: 403,
			body: { code: "outlet_forbidden", field: "outlet_ids" },
		});
	});

	test("is not made for an outlet the tenant does not have", async () => {
		expect(await make({ is_hq_user: true }, { outlet_ids: [randomUUID()] })).toMatchObject({
			status: 404,
			body: { field: "outlet_ids" },
		});
	});

	test("names no outlet beyond its own, on tenant-wide routes either", async () => {
		const { body } = await make(unselected(main), {});
		const headers = { "x-api-key": String(body.key), "x-outlet-id": far };
		for (const path of ["/loaves", "/loaves/any"])
			expect((await floor.ask("GET", path, { at: tenant, headers })).body.code).toBe("outlet_forbidden");
	});
});

test.each(["HQ", "", "0", `${main},${side}`])("X-Outlet-ID %j is ignored", async (header) => {
	const token = floor.token(tenant, "staff", selected(main));
	const { status, body } = await floor.ask("GET", "/loaves", {
		token,
		at: tenant,
		headers: { "x-outlet-id": header },
	});
	expect([status, body.outlets]).toEqual([200, [main, null]]);
});
