import { randomUUID } from "node:crypto";
import { buildService } from "@lango/chassis";
import {
	openStand,
	printOutlets,
	printPolicy,
	routesOfDocument,
	type Scene,
	type Stand,
	sceneOf,
	walkForeign,
} from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pos } from "../src/service.ts";
import { encryptionKey, posUrl } from "./shop.ts";

const base = "/api/v1/:tenant/pos";
const pin = "2580";
const newTill = ({ make, outletId }: Scene) =>
	make("POST", `${base}/terminals`, { outlet_id: outletId, name: "Till" });

/** Somebody of the tenant with a PIN. */
async function hire({ make, person, at }: Scene): Promise<string> {
	const subject = await person();
	await make("PUT", `${base}/pins/${subject}`, { pin, outlet_id: at ?? null });
	return subject;
}
/** What is typed at a till by somebody who has a PIN: one of each tenant, for typing it uses nothing up, and a PIN takes long to hash. */
const typing = new Map<string, { terminal: unknown; user_id: string }>();
async function typed(scene: Scene) {
	const { slug } = scene.tenant;
	const known = typing.get(slug) ?? { terminal: (await newTill(scene)).token, user_id: await hire(scene) };
	typing.set(slug, known);
	return { body: { tenant: slug, ...known, pin } };
}
const atTill = async (scene: Scene) => {
	const { body } = await typed(scene);
	return { headers: { "x-terminal-token": String(body.terminal) } };
};
async function tokenOfTill(scene: Scene): Promise<string> {
	const { access_token: token } = await scene.make("POST", "/auth/pin", (await typed(scene)).body);
	return String(token);
}

const policy = {
	base,
	samples: {
		[`POST ${base}/terminals`]: ({ outletId }: Scene) => ({
			body: { outlet_id: outletId, name: "Till" },
			namesThings: true,
		}),
		[`DELETE ${base}/terminals/:id`]: async (scene: Scene) => ({
			params: { id: String((await newTill(scene)).id) },
		}),
		[`PUT ${base}/pins/own`]: () => ({ body: { pin } }),
		[`PUT ${base}/pins/:user_id`]: async ({ person, at }: Scene) => ({
			params: { user_id: await person() },
			body: { pin, ...(at !== undefined && { outlet_id: at }) },
		}),
		[`DELETE ${base}/pins/:user_id`]: async (scene: Scene) => ({ params: { user_id: await hire(scene) } }),
		[`GET ${base}/auth/pin/profile`]: atTill,
		"GET /:tenant/pos/auth/pin/profile": atTill,
		"POST /auth/pin": typed,
		"POST /api/v1/auth/pin": typed,
	},
	also: async ({ token, tenants: { uhai } }: Stand, scene: Scene) => [
		{ name: "cashier", tenant: uhai, token: token(uhai, "cashier") },
		{ name: "till", tenant: uhai, token: await tokenOfTill(scene) },
	],
};

let stand: Stand;
beforeAll(async () => {
	const environment = { POS_KEY_ENCRYPTION_KEYS: encryptionKey, POS_URL: posUrl };
	stand = await openStand({ service: pos, build: buildService, environment });
});
afterAll(() => stand.close());

test("every route answers every kind of caller as the reviewed policy in access.txt says", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 120_000);

test("another tenant and its things are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(50);
}, 120_000);

test("a till of another tenant finds nothing, on any route, by slug or by id", async () => {
	const { uhai, kahawa } = stand.tenants;
	const token = await tokenOfTill(sceneOf(stand, uhai));
	const guarded = routesOfDocument(stand.built.app.swagger(), "/api/v1/{tenant}/").filter(
		({ url }) => !url.endsWith("/profile"),
	);
	const answers = new Set<string>();
	for (const { method, url } of guarded)
		for (const address of [kahawa.slug, kahawa.id]) {
			const path = url.replace(":tenant", address).replace(":user_id", randomUUID());
			const { status, body } = await stand.call({ method, url: path, token });
			answers.add(`${status} ${body.code}`);
		}
	expect(guarded.length).toBeGreaterThan(20);
	expect([...answers]).toEqual(["404 tenant_not_found"]);
	expect((await stand.call({ method: "GET", url: `/api/v1/${uhai.slug}/pos/auth/me`, token })).status).toBe(
		200,
	);
});

test("every route keeps people and keys to their outlets as the reviewed matrix in outlets.txt says", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
