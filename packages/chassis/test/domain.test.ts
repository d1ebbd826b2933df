import { randomUUID } from "node:crypto";
import { defineSchedule } from "@lango/jobs";
import { testSubscription } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonical, everyone, permit, settingsOf } from "../src/index.ts";
import { type Bakery, defineBakery, openBakery, probe } from "./bakery.ts";

test("a domain service with jobs brings their tables, one without does not", () => {
	const bake = defineSchedule({ name: "loaves.bake", everySeconds: 60, work: async () => {} });
	const sets = (changes: Parameters<typeof defineBakery>[0]) =>
		defineBakery(changes).migrations.map(({ name }) => name);
	expect(sets({ jobs: [bake] })).toContain("jobs");
	expect(sets({})).not.toContain("jobs");
});

describe("a declaration that contradicts itself", () => {
	test.each<[string, Parameters<typeof defineBakery>[0], RegExp]>([
		[
			"a role that grants an undeclared permission",
			{ roles: { baker: ["bakery.cakes.view"] } },
			/"bakery\.cakes\.view", which is not declared/,
		],
		["a first role that is not a role", { firstRole: [[everyone, "king"]] }, /"king", which is not a role/],
		["no first role for everyone", { firstRole: [[["admin"], "baker"]] }, /for everyone/],
		[
			"a module that comes with the chassis",
			{ permissions: { config: ["view"] } },
			/"config" comes with the chassis/,
		],
		[
			"a service named like a product that does not say that plans sell it",
			{ name: "hospital" },
			/hospital is a product that plans sell: declare product: "hospital"/,
		],
		[
			"reserving what is not declared",
			{ reserved: { "bakery.cakes.view": "§2.4" } },
			/which is not declared/,
		],
	])("%s is refused at once", (_what, changes, message) => {
		expect(() => defineBakery(changes)).toThrow(message);
	});

	test.each<[string, Parameters<typeof defineBakery>[0], RegExp]>([
		[
			"a route that names an undeclared permission",
			{ routes: [() => [probe("/x", permit("bakery.cakes.view"))]] },
			/GET .*\/x needs "bakery\.cakes\.view"/,
		],
		["a route that names no permission", { routes: [() => [probe("/x", permit())]] }, /names none/],
		[
			"a canonical code that no token carries",
			{ routes: [() => [probe("/x", canonical("cakes:view"))]] },
			/no token carries/,
		],
		[
			"a permission that guards no route",
			{ routes: [] },
			/no route needs bakery\.loaves\.view, bakery\.loaves\.view_own, bakery\.loaves\.change/,
		],
	])("%s keeps the service from starting", async (_what, changes, message) => {
		await expect(openBakery(defineBakery(changes))).rejects.toThrow(message);
	});

	test("a permission reserved for later needs no route", async () => {
		const reserved = Object.fromEntries(
			["view", "view_own", "change"].map((action) => [`bakery.loaves.${action}`, "§2.4"]),
		);
		const bakery = await openBakery(defineBakery({ routes: [], reserved }));
		expect(await bakery.db.query("select permission_code from permissions order by id")).toHaveLength(12);
		await bakery.close();
	});

	test("the port of a service outside the suite is its own", () => {
		expect(settingsOf(defineBakery()).table.port?.default).toBe(4555);
	});
});

describe("the declaration of a route", () => {
	let bakery: Bakery;
	beforeAll(async () => {
		bakery = await openBakery();
		bakery.subscriptions.records.set(
			bakery.tenant.id,
			testSubscription(bakery.tenant.id, { products: ["pos"], features: [] }),
		);
	});
	afterAll(() => bakery.close());

	const call = async (
		url: string,
		claims: Parameters<Bakery["token"]>[0] | null,
		more: { method?: "POST"; headers?: Record<string, string> } = {},
	) => {
		const { method = "GET", headers = {} } = more;
		const authorization = claims === null ? {} : { authorization: `Bearer ${bakery.token(claims)}` };
		const address = `/api/v1/mkate/bakery${url}`;
		const answer = await bakery.app.inject({
			method,
			url: address,
			headers: { ...authorization, ...headers },
		});
		return { status: answer.statusCode, ...answer.json() };
	};
	const admin = { roles: ["admin"] };
	const staff = { roles: ["staff"] };

	test("an open route admits every caller, for the tenant of its address; an unknown tenant is not found", async () => {
		expect(await call("/menu", null)).toEqual({ status: 200, tenant: "mkate" });
		const elsewhere = await bakery.app.inject("/api/v1/unknown/bakery/menu");
		expect(elsewhere.json()).toMatchObject({ code: "tenant_not_found" });
		expect(
			(await bakery.app.inject({ url: "/api/v1/mkate/bakery/menu", headers: { "x-tenant-id": "mkate" } }))
				.statusCode,
		).toBe(400);
	});

	test.each([
		["/loaves", staff, 200],
		["/loaves", {}, 403],
		["/loaves/own", staff, 200],
		["/loaves/any", staff, 200],
		["/loaves/any", {}, 403],
		["/catalog", admin, 200],
		["/catalog", staff, 403],
		["/catalog/loaves", admin, 200],
		["/catalog/loaves", staff, 403],
		["/catalog/loaves", { roles: ["member"], permissions: ["catalog:manage", "bakery.loaves.view"] }, 403],
		["/catalog", { roles: ["member"], permissions: ["catalog:manage"] }, 200],
		["/catalog", { roles: ["admin"], permissions: [] }, 403],
	])("%s asked for with %j answers %i", async (url, claims, status) => {
		expect(await call(url, claims)).toMatchObject({ status });
	});

	test.each([
		["bakery.loaves.view", 403],
		["catalog:manage", 403],
		["bakery.loaves.view catalog:manage", 200],
	])(
		"a program with %s is answered %i where both are asked for, by a key or as a client",
		async (held, status) => {
			const token = bakery.issuer.token({ client_id: "program", idtyp: "app", scope: held });
			const client = { headers: { authorization: `Bearer ${token}` } };
			expect(await call("/catalog/loaves", null, client)).toMatchObject({ status });
			const made = await bakery.app.inject({
				method: "POST",
				url: "/api/v1/mkate/bakery/api-keys",
				headers: { authorization: `Bearer ${bakery.token(admin)}` },
				payload: { name: "program", permissions: held.split(" ") },
			});
			const key = { headers: { "x-api-key": made.json().key } };
			expect(await call("/catalog/loaves", null, key)).toMatchObject({ status });
		},
	);

	test("a token too large for its permissions is judged by its roles", async () => {
		const large = { permissions: undefined, permissions_ref: "http://auth.example/me" } as unknown as {
			permissions_ref: string;
		};
		expect(await call("/catalog", { ...admin, ...large })).toMatchObject({ status: 200 });
		expect(await call("/catalog", { ...staff, ...large })).toMatchObject({ status: 403 });
	});

	test("a change needs the permission, and an exempt one no subscription", async () => {
		expect(await call("/loaves", admin, { method: "POST" })).toMatchObject({ status: 200 });
		expect(await call("/loaves", staff, { method: "POST" })).toMatchObject({
			status: 403,
			error: "forbidden",
		});
		const before = bakery.subscriptions.asked;
		expect(await call("/usage", staff, { method: "POST" })).toMatchObject({ status: 200 });
		expect(bakery.subscriptions.asked).toBe(before);
	});

	test("a product or a feature that the plan lacks is refused by its own code; superusers pass", async () => {
		expect(await call("/product", staff)).toMatchObject({ status: 403, code: "product_unavailable" });
		expect(await call("/feature", staff)).toMatchObject({
			status: 403,
			code: "feature_unavailable",
			error: expect.stringContaining("not available on the current plan"),
		});
		expect(await call("/feature", { roles: ["superuser"] })).toMatchObject({ status: 200 });
	});

	test("a route for one use case accepts people of such an outlet, and people whose token states is_hq_user", async () => {
		const at = (use: string, more: object = {}) => ({
			...staff,
			outlet_id: randomUUID(),
			outlet_use_case: use,
			is_hq_user: false,
			...more,
		});
		expect(await call("/pharmacy", at("pharmacy"))).toMatchObject({ status: 200 });
		expect(await call("/pharmacy", at("retail"))).toMatchObject({ status: 403 });
		expect(await call("/pharmacy", staff)).toMatchObject({ status: 403 });
		expect(await call("/pharmacy", at("", { is_hq_user: true, outlet_id: "" }))).toMatchObject({
			status: 200,
		});
		expect(await call("/pharmacy", admin)).toMatchObject({ status: 200 });
		expect(await call("/pharmacy", { ...admin, is_hq_user: false })).toMatchObject({ status: 403 });
	});

	test("the header narrows to an outlet; a malformed one is ignored", async () => {
		const outletId = randomUUID();
		const bound = { ...staff, outlet_id: outletId, outlet_use_case: "retail", is_hq_user: false };
		expect(await call("/loaves", bound)).toMatchObject({ outlets: [outletId, null] });
		const headers = { "x-outlet-id": outletId.toUpperCase() };
		expect(await call("/loaves", bound, { headers })).toMatchObject({ outletId, outlets: [outletId] });
		const malformed = await call("/loaves", bound, { headers: { "x-outlet-id": "HQ" } });
		expect(malformed).toMatchObject({ outlets: [outletId, null] });
		expect(malformed).not.toHaveProperty("outletId");
	});
});

describe("a service whose address names no tenant", () => {
	let bakery: Bakery;
	beforeAll(async () => {
		bakery = await openBakery(defineBakery({ base: "/api/v1/bakery" }));
	});
	afterAll(() => bakery.close());

	const ask = async (headers: Record<string, string>, claims = {}) => {
		const authorization = `Bearer ${bakery.token({ roles: ["admin"], ...claims })}`;
		const answer = await bakery.app.inject({
			url: "/api/v1/bakery/loaves",
			headers: { authorization, ...headers },
		});
		return { status: answer.statusCode, ...answer.json() };
	};

	test("takes it from X-Tenant-ID, then X-Tenant-Slug, then the token", async () => {
		const own = { status: 200, tenant: "mkate" };
		expect(await ask({ "x-tenant-id": bakery.tenant.id, "x-tenant-slug": "other" })).toMatchObject(own);
		expect(await ask({ "x-tenant-slug": "mkate" })).toMatchObject(own);
		expect(await ask({})).toMatchObject(own);
	});

	test("does not find another's tenant by header either", async () => {
		expect(await ask({ "x-tenant-id": randomUUID() })).toMatchObject({
			status: 404,
			code: "tenant_not_found",
		});
		expect(await ask({ "x-tenant-slug": "other" })).toMatchObject({ status: 404 });
	});

	test("a person without a tenant is not provisioned", async () => {
		const withoutTenant = { tenant_id: undefined, tenant_slug: undefined } as object;
		expect(await ask({}, withoutTenant)).toMatchObject({ status: 404, code: "tenant_not_found" });
	});
});
