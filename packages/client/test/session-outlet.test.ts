import { memoryStorage } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identity, openScene, reach, type Scene, tokens } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

const exchangeKey = "lango:console-ui:outlet-exchange";
const selectLine = "POST /api/v1/auth/select-outlet";
const exchangeLine = "POST /api/v1/auth/outlet-exchange";
const refreshLine = "POST /api/v1/auth/refresh";
const spent = { status: 401, body: { error: "no", code: "exchange_token_invalid" } };

/** A tab that is loaded anew while an outlet is being chosen, with one-time tokens that are good once each. */
async function reload(good: readonly string[], options: Parameters<Scene["client"]>[0] = {}) {
	const left = new Set(good);
	scene.on(selectLine, ({ body }) => {
		const { ssoExchangeToken, outletId } = JSON.parse(body);
		if (!left.has(ssoExchangeToken)) return spent;
		if (outletId === "foreign") return { status: 403, body: { error: "no", code: "outlet_forbidden" } };
		left.delete(ssoExchangeToken);
		scene.on("GET /api/v1/auth/me", { body: { ...identity, outlet_id: outletId } });
		return { body: tokens({ jti: "chosen", outlet_id: outletId }, 7) };
	});
	let minted = 0;
	scene.on(exchangeLine, () => {
		minted += 1;
		left.add(`new-${minted}`);
		return { body: { ssoExchangeToken: `new-${minted}` } };
	});
	const tab = memoryStorage();
	tab.set(
		exchangeKey,
		JSON.stringify({ ssoExchangeToken: "kept", tenantSlug: "uhai", outletIds: ["ward", "hq"] }),
	);
	const client = scene.client({ tab, ...options });
	await client.start();
	const outletIds = ["ward", "hq"];
	expect(client.getState()).toEqual({ status: "choosing_outlet", tenantSlug: "uhai", outletIds });
	return { client, tab };
}

test("offered are the outlets the service names, of headquarters too, and of a tenant by name all that are not archived", async () => {
	const { client } = await reload(["kept"]);
	const outlet = (id: string, is_hq: boolean) => ({ id, name: id, is_hq, status: "active" });
	const outlets = [outlet("shop", false), outlet("hq", true), outlet("ward", false)];
	scene.on("GET /api/v1/tenants/uhai/outlets", { body: outlets });
	expect((await client.listOutlets()).map(({ id }) => id)).toEqual(["hq", "ward"]);
	expect(await client.listOutlets("uhai")).toHaveLength(3);
});

test("a choice whose one-time token ran out while the page was loaded anew goes on with the kept session", async () => {
	const { client } = await reload([]);
	await client.selectOutlet("ward");
	expect(await reach(client, "ready")).toMatchObject({ profile: { outletId: "ward" } });
	expect(scene.lines().slice(0, 4)).toEqual([selectLine, refreshLine, exchangeLine, selectLine]);
});

test("where no session was kept, a one-time token that ran out means signed out, and is forgotten", async () => {
	const { client, tab } = await reload([], { isStranger: true });
	await expect(client.selectOutlet("ward")).rejects.toMatchObject({ code: "exchange_token_invalid" });
	expect(client.getState()).toEqual({ status: "signed_out", ended: true });
	expect(tab.get(exchangeKey)).toBeUndefined();
});

test("a kept session that is over, too, means signed out", async () => {
	scene.on(refreshLine, { status: 401, body: { error: "over", code: "invalid_grant" } });
	const { client, tab } = await reload([]);
	await expect(client.selectOutlet("ward")).rejects.toMatchObject({ code: "invalid_grant" });
	expect(client.getState()).toEqual({ status: "signed_out", ended: true });
	expect(tab.get(exchangeKey)).toBeUndefined();
});

test("a refused outlet exchange clears the same as a sign-out", async () => {
	const [tab, browser] = [memoryStorage(), memoryStorage()];
	const client = scene.client({ tab, browser, service: { name: "console" } });
	let cleared = 0;
	client.onClear(() => (cleared += 1));
	const kept = ["lango:console-ui:continued", exchangeKey, "console-selected-outlet-id", "console-other"];
	for (const key of kept) tab.set(key, key === exchangeKey ? '{"ssoExchangeToken":"old"}' : "ward");
	browser.set("console:uhai:last-used-outlet-ids", "ward");
	await client.start();
	scene.on(selectLine, spent);
	scene.on(refreshLine, { status: 401, body: { error: "over", code: "invalid_grant" } });
	await expect(client.selectOutlet("ward")).rejects.toMatchObject({ code: "invalid_grant" });
	expect(client.getState()).toEqual({ status: "signed_out", ended: true });
	expect(kept.filter((key) => tab.get(key) !== undefined)).toEqual([]);
	expect(browser.get("console:uhai:last-used-outlet-ids")).toBeUndefined();
	expect(cleared).toBe(1);
});

test.each([{}, { isStranger: true }])(
	"a refused outlet does not consume its one-time token: the next choice is made with the same (%o)",
	async (options) => {
		const { client } = await reload(["kept"], options);
		await expect(client.selectOutlet("foreign")).rejects.toMatchObject({ code: "outlet_forbidden" });
		expect(client.getState().status).toBe("choosing_outlet");
		scene.asked.length = 0;
		await client.selectOutlet("ward");
		expect(scene.lines()[0]).toBe(selectLine);
		expect(scene.lines()).not.toContain(exchangeLine);
		expect(await reach(client, "ready")).toMatchObject({ profile: { outletId: "ward" } });
	},
);

test("an answer without a refresh token leaves the stored one of the session", async () => {
	const storage = memoryStorage();
	const key = "lango:console-ui::refresh";
	storage.set(key, JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const { client } = await reload(["kept"], { storage });
	scene.on(selectLine, { body: { ...tokens({ outlet_id: "ward" }, 7), refresh_token: undefined } });
	scene.on("GET /api/v1/auth/me", { body: { ...identity, outlet_id: "ward" } });
	await client.selectOutlet("ward");
	await reach(client, "ready");
	expect(storage.get(key)).toContain("s1.0");
});

test("a choice that never reached the service is made again with the same one-time token", async () => {
	const { client, tab } = await reload([], { isStranger: true });
	scene.on(selectLine, "cut");
	await expect(client.selectOutlet("ward")).rejects.toMatchObject({ code: "unreachable" });
	expect(client.getState().status).toBe("choosing_outlet");
	expect(tab.get(exchangeKey)).toContain("kept");
});
