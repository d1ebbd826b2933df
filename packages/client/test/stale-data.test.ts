import { type Client, watchPage } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gate, identity, openTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

const me = "GET /api/v1/auth/me";
const subscriptionLine = `GET /api/v1/tenants/${identity.tenant_id}/subscription`;
const outletsLine = "GET /api/v1/tenants/uhai/outlets";
const fiveMinutes = 300_000;
const subscription = (status: string) => ({ body: { status, access: "full", products: [], features: [] } });
const outlet = (id: string) => ({
	id,
	code: id,
	name: id,
	use_case: "retail",
	is_hq: false,
	status: "active",
});
const asked = (line: string) => server.lines().filter((one) => one === line).length;

/** Starts a client and forgets the requests of the start. */
async function startClient(): Promise<Client> {
	server.on(subscriptionLine, subscription("EXPIRED"));
	server.on(outletsLine, { body: [outlet("a"), outlet("b")] });
	const client = server.client({ subscriptionUrl: server.url, service: { name: "console" } });
	await client.start();
	expect(client.getState().status).toBe("ready");
	server.asked.length = 0;
	return client;
}

test("a profile older than five minutes is reloaded once when the person returns, however often", async () => {
	const client = await startClient();
	server.now.at += fiveMinutes - 1;
	client.reloadIfStale();
	server.on(me, { body: { ...identity, roles: [] } });
	server.on(subscriptionLine, subscription("ACTIVE"));
	server.now.at += 1;
	for (let times = 0; times < 5; times += 1) client.reloadIfStale();
	await expect
		.poll(() => client.getState())
		.toMatchObject({
			profile: { globalRoles: [] },
			subscription: { subscription: { status: "ACTIVE" } },
		});
	expect([asked(me), asked(subscriptionLine)]).toEqual([1, 1]);
});

test("a failed reload leaves the state unchanged and is retried after a minute", async () => {
	const client = await startClient();
	const before = client.getState();
	server.on(me, { status: 403, body: { error: "no", code: "forbidden" } });
	server.now.at += fiveMinutes;
	client.reloadIfStale();
	await expect.poll(() => asked(me)).toBe(1);
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect(client.getState()).toBe(before);
	client.reloadIfStale();
	server.now.at += 60_000;
	client.reloadIfStale();
	await expect.poll(() => asked(me)).toBe(2);
});

test("a subscription that cannot be fetched again stays unchanged", async () => {
	const client = await startClient();
	server.on(subscriptionLine, "cut");
	server.now.at += fiveMinutes;
	await client.freshProfile();
	expect(client.getState()).toMatchObject({ subscription: { subscription: { status: "EXPIRED" } } });
});

test("an outlet chosen during a reload stays selected", async () => {
	const client = await startClient();
	const { opened, open } = gate();
	server.on(subscriptionLine, async () => {
		await opened;
		return subscription("ACTIVE");
	});
	server.now.at += fiveMinutes;
	const reloaded = client.freshProfile();
	await expect.poll(() => asked(subscriptionLine)).toBe(1);
	client.chooseOutlet("b");
	open();
	await reloaded;
	expect(client.getState()).toMatchObject({
		outlet: { kind: "selected", outletId: "b" },
		subscription: { subscription: { status: "ACTIVE" } },
	});
});

test("without a session nothing is reloaded", async () => {
	const client = server.client({ isSignedOut: true });
	await client.start();
	client.reloadIfStale();
	expect(server.asked).toEqual([]);
});

test("a return to the page reloads stale data, and a page from the browser's cache also starts the client", () => {
	const page = new EventTarget();
	const done: string[] = [];
	const client = {
		start: async () => void done.push("start"),
		reloadIfStale: () => void done.push("reload"),
	};
	const end = watchPage(client, page);
	page.dispatchEvent(new Event("focus"));
	page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
	end();
	page.dispatchEvent(new Event("focus"));
	expect(done).toEqual(["reload", "start", "reload"]);
});
