import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import Type from "typebox";
import { expect, test } from "vitest";
import {
	type Domain,
	findConfig,
	listConfig,
	type Route,
	route,
	signedIn,
	tenantOf,
	tenantWide,
} from "../src/index.ts";
import { defineBakery } from "./bakery.ts";
import { openFloor } from "./shop-floor.ts";

const routes = ({ db }: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/oven",
		access: signedIn(),
		outlets: tenantWide("settings are the tenant's"),
		schema: { response: { 200: Type.Unknown() } },
		handler: (request) =>
			inTenant(db, tenantOf(request).id, async (tx) => ({
				heat: (await findConfig(tx, "oven.heat"))?.value ?? "cold",
				all: await listConfig(tx, { prefix: "oven.", after: "", limit: 10 }),
			})),
	}),
];

const floor = setUp(() =>
	openFloor(
		defineBakery({
			routes: [routes],
			permissions: {},
			roles: { baker: ["bakery.*"], seller: [], guest: [] },
		}),
	),
);

test("a handler reads a setting as it holds now, the tenant's own before the platform's default, and lists those of one prefix", async () => {
	const { uhai, lango } = floor.tenants;
	const [admin, owner] = [floor.token(uhai, "admin"), floor.token(lango, "superuser")];
	const oven = async () => (await floor.ask("GET", "/oven", { token: admin })).body;
	const set = async (key: string, value: unknown) =>
		expect((await floor.ask("PUT", "/config", { token: admin, body: { key, value } })).status).toBe(200);
	const byDefault = `/config?tenantId=${lango.id}`;
	const body = { key: "oven.heat", value: 180 };
	expect(await oven()).toEqual({ heat: "cold", all: [] });
	expect((await floor.ask("PUT", byDefault, { token: owner, at: lango, body })).status).toBe(200);
	expect(await oven()).toEqual({ heat: 180, all: [{ ...body, source: "platform" }] });
	await set("oven.heat", 220);
	await set("ovenware", "clay");
	expect(await oven()).toEqual({ heat: 220, all: [{ key: "oven.heat", value: 220, source: "tenant" }] });
	await set("oven.heat", null);
	expect((await oven()).heat).toBe(180);
});
