import { type Client, watchPage } from "@lango/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gate, identity, openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

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
const asked = (line: string) => scene.lines().filter((one) => one === line).length;

/** In, with the lines of coming in forgotten. */
async function enter(): Promise<Client> {
	scene.on(subscriptionLine, subscription("EXPIRED"));
	scene.on(outletsLine, { body: [outlet("a"), outlet("b")] });
	const client = scene.client({ subscriptionUrl: scene.url, service: { name: "console" } });
	await client.start();
	expect(client.getState().status).toBe("ready");
	scene.asked.length = 0;
	return client;
}

test("a profile older than five minutes is asked for again when somebody comes back, once however often", async () => {
	const client = await enter();
	scene.now.at += fiveMinutes - 1;
	client.lookAgain();
	scene.on(me, { body: { ...identity, roles: [] } });
	scene.on(subscriptionLine, subscription("ACTIVE"));
	scene.now.at += 1;
	for (let times = 0; times < 5; times += 1) client.lookAgain();
	await vi.waitFor(() =>
		expect(client.getState()).toMatchObject({
			profile: { globalRoles: [] },
			subscription: { subscription: { status: "ACTIVE" } },
		}),
	);
	expect([asked(me), asked(subscriptionLine)]).toEqual([1, 1]);
});

test("a look that failed leaves everything as it was, and is made again after a minute", async () => {
	const client = await enter();
	const before = client.getState();
	scene.on(me, { status: 403, body: { error: "no", code: "forbidden" } });
	scene.now.at += fiveMinutes;
	client.lookAgain();
	await vi.waitFor(() => expect(asked(me)).toBe(1));
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect(client.getState()).toBe(before);
	client.lookAgain();
	scene.now.at += 60_000;
	client.lookAgain();
	await vi.waitFor(() => expect(asked(me)).toBe(2));
});

test("a subscription that cannot be asked for again stays as it was", async () => {
	const client = await enter();
	scene.on(subscriptionLine, "cut");
	scene.now.at += fiveMinutes;
	await client.freshProfile();
	expect(client.getState()).toMatchObject({ subscription: { subscription: { status: "EXPIRED" } } });
});

test("what is chosen while a look is under way stays chosen", async () => {
	const client = await enter();
	const { opened, open } = gate();
	scene.on(subscriptionLine, async () => {
		await opened;
		return subscription("ACTIVE");
	});
	scene.now.at += fiveMinutes;
	const looked = client.freshProfile();
	await vi.waitFor(() => expect(asked(subscriptionLine)).toBe(1));
	client.chooseOutlet("b");
	open();
	await looked;
	expect(client.getState()).toMatchObject({
		outlet: { kind: "selected", outletId: "b" },
		subscription: { subscription: { status: "ACTIVE" } },
	});
});

test("who is not in is not looked for", async () => {
	const client = scene.client({ isStranger: true });
	await client.start();
	client.lookAgain();
	expect(scene.asked).toEqual([]);
});

test("coming back to a page is a reason to look again, out of the browser's cache also whether one is signed in", () => {
	const page = new EventTarget();
	const done: string[] = [];
	const client = { start: async () => void done.push("start"), lookAgain: () => void done.push("look") };
	const end = watchPage(client, page);
	page.dispatchEvent(new Event("focus"));
	page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
	end();
	page.dispatchEvent(new Event("focus"));
	expect(done).toEqual(["look", "start", "look"]);
});
