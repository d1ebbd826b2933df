import { randomUUID } from "node:crypto";
import { testSubscription, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import Type from "typebox";
import { describe, expect, test } from "vitest";
import {
	limitOf,
	ownerOf,
	permit,
	type Route,
	type RouteRules,
	route,
	signedIn,
	tenantWide,
} from "../src/index.ts";
import { type Bakery, defineBakery, openBakery, probe } from "./bakery.ts";

const answering = (
	url: string,
	rules: RouteRules,
	answer: (request: Parameters<typeof ownerOf>[0]) => unknown,
): Route =>
	route({
		method: "GET",
		outlets: tenantWide("nothing here belongs to an outlet"),
		...rules,
		url,
		schema: { response: { 200: Type.Unknown() } },
		handler: async (request) => answer(request),
	});

const view = permit("bakery.loaves.view");
const routes = (): readonly Route[] => [
	answering("/loaves", { access: view, own: true }, (request) => ({
		owner: ownerOf(request) ?? "everybody",
	})),
	answering("/mine", { access: permit("bakery.loaves.view_own") }, (request) => ({
		owner: ownerOf(request) ?? "everybody",
	})),
	answering("/careless", { access: view, own: true }, () => ({ all: "of everybody" })),
	answering("/refusing", { access: view, own: true }, () => {
		throw new Error("before anything was read");
	}),
	answering("/limited", { access: signedIn(), limit: "max_loaves" }, (request) => ({
		max: limitOf(request),
	})),
	answering("/bug", { access: signedIn() }, (request) => ({ max: limitOf(request) })),
];
const service = () =>
	defineBakery({
		permissions: { loaves: ["view", "view_own"] },
		roles: { baker: ["bakery.*"], seller: ["bakery.loaves.view_own"], guest: [] },
		routes: [routes],
	});

const bakery = setUp(() => openBakery(service()));

const call = async (url: string, claims: Parameters<Bakery["token"]>[0], slug = "mkate") => {
	const authorization = `Bearer ${bakery.token(claims)}`;
	const answer = await bakery.app.inject({ url: `/api/v1/${slug}/bakery${url}`, headers: { authorization } });
	return { status: answer.statusCode, ...answer.json() };
};
const admin = { roles: ["admin"] };
describe("a grant of one's own things", () => {
	test.each(["/loaves", "/mine"])(
		"%s has an owner to filter by for a caller that holds only that, and none for other callers",
		async (url) => {
			const sub = randomUUID();
			expect(await call(url, { roles: ["staff"], sub })).toEqual({
				status: 200,
				owner: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), userId: sub },
			});
			expect(await call(url, admin)).toEqual({ status: 200, owner: "everybody" });
			expect(await call(url, { roles: ["superuser"] })).toEqual({ status: 200, owner: "everybody" });
			expect(await call(url, { roles: ["member"] })).toMatchObject({ status: 403, error: "forbidden" });
		},
	);

	test("a handler that does not ask whose things to show is answered 500 to everybody, and shows nothing", async () => {
		for (const roles of [["staff"], ["admin"]]) {
			const answer = await call("/careless", { roles });
			expect(answer).toMatchObject({ status: 500, code: "internal" });
			expect(answer).not.toHaveProperty("all");
		}
		expect(await call("/refusing", admin)).toMatchObject({ status: 500 });
	});

	test("is a person's: a program that holds no more is refused", async () => {
		const client = {
			client_id: "till",
			idtyp: "app",
			scope: "bakery.loaves.view_own",
			email: undefined,
			tenant_id: undefined,
		};
		expect(await call("/loaves", client as object)).toMatchObject({ status: 403 });
		expect(await call("/loaves", { ...client, scope: "bakery.loaves.view" } as object)).toMatchObject({
			status: 200,
			owner: "everybody",
		});
	});

	test("a route with `own` but without an `_own` permission prevents the start", async () => {
		const adding = probe("/x", permit("bakery.loaves.add"), { own: true });
		const changes = {
			permissions: { loaves: ["add"] as const },
			roles: { baker: [], seller: [], guest: [] },
		};
		await expect(openBakery(defineBakery({ ...changes, routes: [() => [adding]] }))).rejects.toThrow(
			/says own/,
		);
	});

	test("a route that does not say who may call it keeps the service from starting", async () => {
		const silent = probe("/x", undefined as never);
		await expect(openBakery(defineBakery({ routes: [() => [silent]] }))).rejects.toThrow(
			/does not say who may call it/,
		);
	});
});

describe("a limit of the plan", () => {
	test.each([
		["absent", {}, 403],
		["nought", { max_loaves: 0 }, 403],
		["some", { max_loaves: 3 }, 200],
		["unlimited", { max_loaves: -1 }, 200],
	])("that is %s is answered as the plan says", async (_what, limits: { max_loaves?: number }, status) => {
		const { id, slug } = testTenant(`mkate-${randomUUID().slice(0, 8)}`);
		bakery.issuer.tenants.push(testTenant(slug, { id }));
		bakery.subscriptions.records.set(id, testSubscription(id, { limits: { ...limits } }));
		const ask = () => call("/limited", { ...admin, tenant_id: id, tenant_slug: slug }, slug);
		// A read does not wait for the snapshot: the first one has it fetched.
		expect(await ask()).toEqual({ status: 200, max: -1 });
		await expect.poll(ask).toMatchObject(
			status === 200
				? { status, max: limits.max_loaves }
				: {
						status,
						code: "limit_reached",
						limit: "max_loaves",
						limit_value: 0,
						error: expect.stringContaining("max_loaves"),
					},
		);
	});

	test("does not apply to superusers", async () => {
		expect(await call("/limited", { roles: ["superuser"] })).toEqual({ status: 200, max: -1 });
	});

	test("that is not declared is a bug to ask for", async () => {
		expect(await call("/bug", admin)).toMatchObject({ status: 500 });
	});
});
