import { type Client, decidePage, memoryStorage } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identity, openScene, type Scene, tokens } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

const line = `GET /api/v1/tenants/${identity.tenant_id}/subscription`;
const subscription = {
	status: "ACTIVE",
	access: "full",
	plan: "GROWTH",
	products: ["ordering"],
	features: [],
};
const home = { tenant: "uhai" };

async function enter(options: Parameters<Scene["client"]>[0] = {}): Promise<Client> {
	const client = scene.client({ subscriptionUrl: scene.url, ...options });
	await client.start();
	return client;
}

test.each(["ACTIVE", "TRIAL", "PAST_DUE"])("%s lets the person go on", async (status) => {
	scene.on(line, { body: { ...subscription, status } });
	const client = await enter();
	expect(decidePage(client.getState(), home)).toEqual({ go: "on" });
	const [asked] = scene.asked.filter((one) => one.line === line);
	expect(asked?.headers).toMatchObject({
		authorization: expect.any(String),
		"x-tenant-id": identity.tenant_id,
	});
});

test.each(["grace", "read_only"])(
	"EXPIRED with access %s leads to /subscribe, which offers to continue",
	async (access) => {
		scene.on(line, { body: { ...subscription, status: "EXPIRED", access } });
		const tab = memoryStorage();
		const client = await enter({ tab });
		expect(decidePage(client.getState(), home)).toEqual({
			go: "subscribe",
			access,
			mayContinue: true,
			to: "/subscribe",
		});
		expect(decidePage(client.getState(), { ...home, ignoresSubscription: true })).toEqual({ go: "on" });
		client.continueUnsubscribed();
		expect(decidePage(client.getState(), home)).toEqual({ go: "on" });
		const reloaded = await enter({ tab });
		expect(decidePage(reloaded.getState(), home)).toEqual({ go: "on" });
	},
);

test("no record leads to /subscribe, and there is nothing to continue with", async () => {
	scene.on(line, { status: 404, body: { error: "none", code: "no_subscription" } });
	const client = await enter();
	const verdict = { go: "subscribe", access: "none", mayContinue: false, to: "/subscribe" };
	expect(decidePage(client.getState(), home)).toEqual(verdict);
	client.continueUnsubscribed();
	expect(decidePage(client.getState(), home)).toEqual(verdict);
});

test("a platform owner is not asked about", async () => {
	scene.on("GET /api/v1/auth/me", { body: { ...identity, is_platform_owner: true, roles: ["superuser"] } });
	const client = await enter();
	expect(client.getState()).toMatchObject({ status: "ready", subscription: { kind: "skipped" } });
	expect(scene.lines()).not.toContain(line);
	expect(decidePage(client.getState(), { ...home, product: "hospital", permission: "any" })).toEqual({
		go: "on",
	});
});

test("a subscription service that is away keeps nobody out, and the state says so", async () => {
	scene.on(line, { status: 503, body: { error: "away", code: "unavailable" } });
	const client = await enter();
	expect(client.getState()).toMatchObject({
		subscription: { kind: "unknown", error: { code: "unavailable" } },
	});
	expect(decidePage(client.getState(), home)).toEqual({ go: "on" });
	scene.on(line, { body: { ...subscription, status: "EXPIRED", access: "read_only" } });
	await client.checkSubscription();
	expect(decidePage(client.getState(), home)).toMatchObject({ go: "subscribe" });
});

test("a service's pages are shown only to who has the product, by the subscription before the token", async () => {
	scene.on("POST /api/v1/auth/refresh", { body: tokens({ products: ["hospital"] }, 1) });
	scene.on(line, { body: subscription });
	const client = await enter();
	const at = (product: string) => decidePage(client.getState(), { ...home, product });
	expect(at("ordering")).toEqual({ go: "on" });
	expect(at("hospital")).toEqual({ go: "product_missing", product: "hospital" });
});

test("without a subscription to go by, the products are the token's; a token without any has none", async () => {
	scene.on("POST /api/v1/auth/refresh", { body: tokens({ products: ["hospital"] }, 1) });
	const client = await enter();
	scene.on(line, { status: 503, body: {} });
	await client.checkSubscription();
	expect(decidePage(client.getState(), { ...home, product: "hospital" })).toEqual({ go: "on" });
	scene.on("POST /api/v1/auth/refresh", { body: tokens({ jti: "2" }, 2) });
	await client.renew();
	expect(decidePage(client.getState(), { ...home, product: "hospital" })).toMatchObject({
		go: "product_missing",
	});
});

test("after an upgrade new tokens and the new subscription are fetched together", async () => {
	scene.on(line, { body: { ...subscription, status: "EXPIRED", access: "read_only", products: [] } });
	const client = await enter();
	scene.on(line, { body: { ...subscription, plan: "PROFESSIONAL", products: ["hospital"] } });
	scene.on("POST /api/v1/auth/refresh", { body: tokens({ jti: "2", products: ["hospital"] }, 2) });
	await client.renew();
	expect(client.getState()).toMatchObject({
		profile: { products: ["hospital"] },
		subscription: { subscription: { plan: "PROFESSIONAL" } },
	});
	expect(decidePage(client.getState(), { ...home, product: "hospital" })).toEqual({ go: "on" });
});

test.each([
	["waits for nobody's sign-in", { isPublic: true }, { go: "on" }],
	["asks a stranger to sign in to its tenant", { tenant: "kahawa" }, { go: "sign_in", tenant: "kahawa" }],
	["asks for the permission", { permission: "auth.users.view" }, { go: "unauthorized", to: "/unauthorized" }],
	["is shown to who holds the permission", { permission: "catalog:view" }, { go: "on" }],
])("a page %s", async (_what, place, verdict) => {
	scene.on(line, { body: subscription });
	expect(decidePage((await enter()).getState(), place)).toEqual(verdict);
});
