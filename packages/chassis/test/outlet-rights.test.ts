import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	callOf,
	outletsOf,
	permit,
	type Route,
	requireRight,
	rightsOf,
	route,
	tenantWide,
} from "../src/index.ts";
import { defineBakery } from "./bakery.ts";
import { type Floor, openFloor } from "./shop-floor.ts";

const answering = (url: string, rules: Pick<Route, "access" | "outlets">, answer: Answering): Route =>
	route({
		method: "GET",
		...rules,
		url,
		schema: { response: { 200: Type.Unknown() } },
		handler: async (request) => answer(request),
	});
type Answering = (request: Parameters<typeof outletsOf>[0]) => unknown;

const access = permit("bakery.loaves.view");
const routes = (): readonly Route[] => [
	answering("/loaves", { access }, (request) => ({ outlets: outletsOf(request) })),
	answering("/ovens", { access, outlets: tenantWide("ovens are shared") }, (request) => ({
		held: callOf(request).user?.permissions,
	})),
	answering("/asking", { access }, (request) => {
		requireRight(request, "bakery.loaves.view", request.headers["x-target"] as string | undefined);
		return { done: true };
	}),
	answering("/careless", { access }, () => ({ all: "of the tenant" })),
	answering("/rights", { access }, (request) => ({
		may: rightsOf(request)("bakery.loaves.view"),
	})),
];

let floor: Floor;
let admin: { id: string; token: string };
let keeper: { id: string; token: string };
let here: Record<string, string>;
let elsewhere: Record<string, string>;
beforeAll(async () => {
	const permissions = { loaves: ["view"] } as const;
	const roles = { baker: ["bakery.*"], seller: ["bakery.*.view"], guest: [] };
	floor = await openFloor(defineBakery({ permissions, roles, routes: [routes] }));
	admin = await floor.meet("admin");
	const second = await addOutlet();
	here = { "x-outlet-id": floor.outletOf(floor.tenants.uhai) };
	elsewhere = { "x-outlet-id": second };
	keeper = await keeperAt(floor.outletOf(floor.tenants.uhai));
});
afterAll(() => floor.close());

/** Another outlet of the tenant. */
async function addOutlet(): Promise<string> {
	const id = randomUUID();
	await inTenant(floor.database.db, floor.tenants.uhai.id, (tx) =>
		tx.query(
			`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
			 values ($1, $2, 'SIDE', 'Side', 'retail', false, 'active', '{}', now())`,
			[id, floor.tenants.uhai.id],
		),
	);
	return id;
}

/** Somebody who may do everything at one outlet, and by their first role nothing anywhere else. */
async function keeperAt(outletId: string): Promise<{ id: string; token: string }> {
	const person = await floor.meet("member", floor.tenants.uhai, { outlet_id: outletId });
	const body = { user_id: person.id, outlet_id: outletId };
	const { status } = await floor.ask("POST", "/roles/baker/assignments", { ...admin, body });
	expect(status).toBe(201);
	return person;
}
const asKeeper = (path: string, headers?: Record<string, string>) =>
	floor.ask("GET", path, { token: keeper.token, ...(headers && { headers }) });

describe("a right at one outlet only", () => {
	const everything = [
		["PUT", "/config", { key: "theme", value: "dark" }],
		["GET", "/config"],
		["GET", "/audit"],
		["GET", "/users"],
		["GET", "/permissions"],
		["GET", "/api-keys"],
		["POST", "/api-keys", { name: "mine", permissions: [] }],
		["GET", "/roles"],
		["GET", "/roles/baker"],
		["POST", "/roles", { code: "mine", permissions: [] }],
		["PATCH", "/roles/guest", { description: "mine" }],
		["GET", "/ovens"],
	] as const;
	test.each(everything)("opens nothing of the whole tenant by naming the outlet: %s %s", async (...line) => {
		const [method, path, body] = line;
		for (const headers of [here, elsewhere, {}]) {
			const answer = await floor.ask(method, path, { token: keeper.token, headers, ...(body && { body }) });
			expect([answer.status, answer.body.error]).toEqual([403, "forbidden"]);
		}
	});

	test("counts on a bound route, and there for that outlet alone", async () => {
		expect(await asKeeper("/loaves", here)).toEqual({
			status: 200,
			body: { outlets: [here["x-outlet-id"]] },
		});
		expect((await asKeeper("/loaves", elsewhere)).status).toBe(403);
		expect((await asKeeper("/loaves")).status).toBe(403);
	});

	test("counts where the effect is, not where the header says, on a route that asks for it", async () => {
		const at = (target: Record<string, string>) =>
			asKeeper("/asking", { ...here, "x-target": target["x-outlet-id"] ?? "" });
		expect((await at(here)).status).toBe(200);
		expect((await at(elsewhere)).body.error).toBe("forbidden");
		expect((await asKeeper("/asking", here)).body.error).toBe("forbidden");
		expect((await asKeeper("/rights", here)).body).toEqual({ may: false });
	});

	test("is in the response of auth/me when the outlet is named, and only then", async () => {
		expect((await asKeeper("/auth/me", here)).body).toMatchObject({
			service_role: "baker",
			permissions: expect.arrayContaining(["bakery.loaves.view"]),
		});
		const me = await asKeeper("/auth/me");
		expect(me.body).toMatchObject({ service_role: "guest", permissions: [] });
		expect((await asKeeper("/auth/me", elsewhere)).body.code).toBe("outlet_forbidden");
	});
});

test("a right in the whole tenant counts with and without a named outlet", async () => {
	const headers = here;
	expect((await floor.ask("GET", "/ovens", { ...admin, headers })).body.held).toContain("bakery.loaves.view");
	expect((await floor.ask("GET", "/users", { ...admin, headers })).status).toBe(200);
	expect((await floor.ask("GET", "/loaves", { ...admin, headers })).status).toBe(200);
	expect((await floor.ask("GET", "/loaves", admin)).body).toEqual({ outlets: null });
});

test("a bound route that does not ask for the outlets is answered 500 for every caller", async () => {
	for (const who of [{ ...admin }, { token: keeper.token, headers: here }])
		expect(await floor.ask("GET", "/careless", who)).toMatchObject({
			status: 500,
			body: { code: "internal" },
		});
	expect(floor.logged.join("")).toContain("/careless answers without outletsOf(request)");
});

test("an administrator of one outlet assigns, lists and revokes roles there only", async () => {
	const as = (headers: Record<string, string>) => ({ token: keeper.token, headers });
	const person = await floor.meet("member");
	const assignment = { user_id: person.id, outlet_id: here["x-outlet-id"] };
	const given = await floor.ask("POST", "/roles/seller/assignments", { ...as(here), body: assignment });
	expect(given.status).toBe(201);
	const there = await floor.ask("POST", "/roles/seller/assignments", {
		...admin,
		body: { ...assignment, outlet_id: elsewhere["x-outlet-id"] },
	});
	const listed = await floor.ask("GET", "/roles/seller/assignments", as(here));
	expect(listed.body).toEqual({ items: [given.body], next_cursor: null });
	expect((await floor.ask("GET", "/roles/seller/assignments", as(elsewhere))).status).toBe(403);
	const all = await floor.ask("GET", `/roles/seller/assignments?user_id=${person.id}`, admin);
	expect(all.body.items).toHaveLength(2);
	const back = (id: unknown) => floor.ask("DELETE", `/roles/seller/assignments/${id}`, as(here));
	expect((await back(there.body.id)).status).toBe(404);
	expect((await back(given.body.id)).status).toBe(204);
});
