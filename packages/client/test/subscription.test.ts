import { type Client, decidePage, memoryStorage } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identity, openTestServer, type TestServer, tokens } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

const line = `GET /api/v1/tenants/${identity.tenant_id}/subscription`;
const subscription = {
	status: "ACTIVE",
	access: "full",
	plan: "GROWTH",
	products: ["ordering"],
	features: [],
};
const home = { tenant: "uhai" };

async function startClient(options: Parameters<TestServer["client"]>[0] = {}): Promise<Client> {
	const client = server.client({ subscriptionUrl: server.url, ...options });
	await client.start();
	return client;
}

test.each(["ACTIVE", "TRIAL", "PAST_DUE"])("with a subscription in %s the page is shown", async (status) => {
	server.on(line, { body: { ...subscription, status } });
	const client = await startClient();
	expect(decidePage(client.getState(), home)).toEqual({ go: "on" });
	const [asked] = server.asked.filter((one) => one.line === line);
	expect(asked?.headers).toMatchObject({
		authorization: expect.any(String),
		"x-tenant-id": identity.tenant_id,
	});
});

test.each(["grace", "read_only"])(
	"EXPIRED with access %s leads to /subscribe, which offers to continue",
	async (access) => {
		server.on(line, { body: { ...subscription, status: "EXPIRED", access } });
		const tab = memoryStorage();
		const client = await startClient({ tab });
		expect(decidePage(client.getState(), home)).toEqual({
			go: "subscribe",
			access,
			mayContinue: true,
			to: "/subscribe",
		});
		expect(decidePage(client.getState(), { ...home, ignoresSubscription: true })).toEqual({ go: "on" });
		client.continueUnsubscribed();
		expect(decidePage(client.getState(), home)).toEqual({ go: "on" });
		const reloaded = await startClient({ tab });
		expect(decidePage(reloaded.getState(), home)).toEqual({ go: "on" });
	},
);

test("without a subscription the verdict is /subscribe, without an offer to continue", async () => {
	server.on(line, { status: 404, body: { error: "none", code: "no_subscription" } });
	const client = await startClient();
	const verdict = { go: "subscribe", access: "none", mayContinue: false, to: "/subscribe" };
	expect(decidePage(client.getState(), home)).toEqual(verdict);
	client.continueUnsubscribed();
	expect(decidePage(client.getState(), home)).toEqual(verdict);
});

test("the subscription of the platform owner is not checked", async () => {
	server.on("GET /api/v1/auth/me", { body: { ...identity, is_platform_owner: true, roles: ["superuser"] } });
	const client = await startClient();
	expect(client.getState()).toMatchObject({ status: "ready", subscription: { kind: "skipped" } });
	expect(server.lines()).not.toContain(line);
	expect(decidePage(client.getState(), { ...home, product: "hospital", permission: "any" })).toEqual({
		go: "on",
	});
});

test("if the subscription service is unavailable, the page is shown and the state is unknown", async () => {
	server.on(line, { status: 503, body: { error: "unavailable", code: "unavailable" } });
	const client = await startClient();
	expect(client.getState()).toMatchObject({
		subscription: { kind: "unknown", error: { code: "unavailable" } },
	});
	expect(decidePage(client.getState(), home)).toEqual({ go: "on" });
	server.on(line, { body: { ...subscription, status: "EXPIRED", access: "read_only" } });
	await client.checkSubscription();
	expect(decidePage(client.getState(), home)).toMatchObject({ go: "subscribe" });
});

test("a product in the subscription is required, and the subscription takes precedence over the token", async () => {
	server.on("POST /api/v1/auth/refresh", { body: tokens({ products: ["hospital"] }, 1) });
	server.on(line, { body: subscription });
	const client = await startClient();
	const at = (product: string) => decidePage(client.getState(), { ...home, product });
	expect(at("ordering")).toEqual({ go: "on" });
	expect(at("hospital")).toEqual({ go: "product_missing", product: "hospital" });
});

test("without a known subscription, the products of the token decide", async () => {
	server.on("POST /api/v1/auth/refresh", { body: tokens({ products: ["hospital"] }, 1) });
	const client = await startClient();
	server.on(line, { status: 503, body: {} });
	await client.checkSubscription();
	expect(decidePage(client.getState(), { ...home, product: "hospital" })).toEqual({ go: "on" });
	server.on("POST /api/v1/auth/refresh", { body: tokens({ jti: "2" }, 2) });
	await client.renew();
	expect(decidePage(client.getState(), { ...home, product: "hospital" })).toMatchObject({
		go: "product_missing",
	});
});

test("renew fetches new tokens and the new subscription", async () => {
	server.on(line, { body: { ...subscription, status: "EXPIRED", access: "read_only", products: [] } });
	const client = await startClient();
	server.on(line, { body: { ...subscription, plan: "PROFESSIONAL", products: ["hospital"] } });
	server.on("POST /api/v1/auth/refresh", { body: tokens({ jti: "2", products: ["hospital"] }, 2) });
	await client.renew();
	expect(client.getState()).toMatchObject({
		profile: { products: ["hospital"] },
		subscription: { subscription: { plan: "PROFESSIONAL" } },
	});
	expect(decidePage(client.getState(), { ...home, product: "hospital" })).toEqual({ go: "on" });
});

test.each([
	["without a required session is shown", { isPublic: true }, { go: "on" }],
	[
		"of another tenant leads to a sign-in to that tenant",
		{ tenant: "kahawa" },
		{ go: "sign_in", tenant: "kahawa" },
	],
	[
		"with a missing permission leads to /unauthorized",
		{ permission: "auth.users.view" },
		{ go: "unauthorized", to: "/unauthorized" },
	],
	["with a permission that the person has is shown", { permission: "catalog:view" }, { go: "on" }],
])("a page %s", async (_what, page, verdict) => {
	server.on(line, { body: subscription });
	expect(decidePage((await startClient()).getState(), page)).toEqual(verdict);
});
