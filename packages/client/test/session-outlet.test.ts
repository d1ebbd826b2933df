import { memoryStorage } from "@lango/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { identity, openTestServer, type TestServer, tokens, waitForStatus } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

const exchangeKey = "lango:console-ui:outlet-exchange";
const selectLine = "POST /api/v1/auth/select-outlet";
const exchangeLine = "POST /api/v1/auth/outlet-exchange";
const refreshLine = "POST /api/v1/auth/refresh";
const consumed = { status: 401, body: { error: "no", code: "exchange_token_invalid" } };

/** Reloads a tab during the selection of an outlet. Each one-time token in `good` can be used once. */
async function reload(good: readonly string[], options: Parameters<TestServer["client"]>[0] = {}) {
	const left = new Set(good);
	server.on(selectLine, ({ body }) => {
		const { ssoExchangeToken, outletId } = JSON.parse(body);
		if (!left.has(ssoExchangeToken)) return consumed;
		if (outletId === "foreign") return { status: 403, body: { error: "no", code: "outlet_forbidden" } };
		left.delete(ssoExchangeToken);
		server.on("GET /api/v1/auth/me", { body: { ...identity, outlet_id: outletId } });
		return { body: tokens({ jti: "chosen", outlet_id: outletId }, 7) };
	});
	let minted = 0;
	server.on(exchangeLine, () => {
		minted += 1;
		left.add(`new-${minted}`);
		return { body: { ssoExchangeToken: `new-${minted}` } };
	});
	const tab = memoryStorage();
	tab.set(
		exchangeKey,
		JSON.stringify({ ssoExchangeToken: "stored", tenantSlug: "uhai", outletIds: ["ward", "hq"] }),
	);
	const client = server.client({ tab, ...options });
	await client.start();
	const outletIds = ["ward", "hq"];
	expect(client.getState()).toEqual({ status: "choosing_outlet", tenantSlug: "uhai", outletIds });
	return { client, tab };
}

test("the outlets in the response are offered, also the headquarters; with a slug all open outlets", async () => {
	const { client } = await reload(["stored"]);
	const outlet = (id: string, is_hq: boolean) => ({ id, name: id, is_hq, status: "active" });
	const outlets = [outlet("shop", false), outlet("hq", true), outlet("ward", false)];
	server.on("GET /api/v1/tenants/uhai/outlets", { body: outlets });
	expect((await client.listOutlets()).map(({ id }) => id)).toEqual(["hq", "ward"]);
	expect(await client.listOutlets("uhai")).toHaveLength(3);
});

test("an expired one-time token is replaced with the stored session", async () => {
	const { client } = await reload([]);
	await client.selectOutlet("ward");
	expect(await waitForStatus(client, "ready")).toMatchObject({ profile: { outletId: "ward" } });
	expect(server.lines().slice(0, 4)).toEqual([selectLine, refreshLine, exchangeLine, selectLine]);
});

test("without a stored session, an expired one-time token is removed and the state is signed out", async () => {
	const { client, tab } = await reload([], { isSignedOut: true });
	await expect(client.selectOutlet("ward")).rejects.toMatchObject({ code: "exchange_token_invalid" });
	expect(client.getState()).toEqual({ status: "signed_out", ended: true });
	expect(tab.get(exchangeKey)).toBeUndefined();
});

test("if the stored session has ended too, the state is signed out", async () => {
	server.on(refreshLine, { status: 401, body: { error: "over", code: "invalid_grant" } });
	const { client, tab } = await reload([]);
	await expect(client.selectOutlet("ward")).rejects.toMatchObject({ code: "invalid_grant" });
	expect(client.getState()).toEqual({ status: "signed_out", ended: true });
	expect(tab.get(exchangeKey)).toBeUndefined();
});

test("a refused outlet exchange clears the same data as a sign-out", async () => {
	const [tab, browser] = [memoryStorage(), memoryStorage()];
	const client = server.client({ tab, browser, service: { name: "console" } });
	let cleared = 0;
	client.onClear(() => (cleared += 1));
	const stored = ["lango:console-ui:continued", exchangeKey, "console-selected-outlet-id", "console-other"];
	for (const key of stored) tab.set(key, key === exchangeKey ? '{"ssoExchangeToken":"old"}' : "ward");
	browser.set("console:uhai:last-used-outlet-ids", "ward");
	await client.start();
	server.on(selectLine, consumed);
	server.on(refreshLine, { status: 401, body: { error: "over", code: "invalid_grant" } });
	await expect(client.selectOutlet("ward")).rejects.toMatchObject({ code: "invalid_grant" });
	expect(client.getState()).toEqual({ status: "signed_out", ended: true });
	expect(stored.filter((key) => tab.get(key) !== undefined)).toEqual([]);
	expect(browser.get("console:uhai:last-used-outlet-ids")).toBeUndefined();
	expect(cleared).toBe(1);
});

test.each([{}, { isSignedOut: true }])(
	"a refused outlet does not consume the one-time token, which the next selection uses (%o)",
	async (options) => {
		const { client } = await reload(["stored"], options);
		await expect(client.selectOutlet("foreign")).rejects.toMatchObject({ code: "outlet_forbidden" });
		expect(client.getState().status).toBe("choosing_outlet");
		server.asked.length = 0;
		await client.selectOutlet("ward");
		expect(server.lines()[0]).toBe(selectLine);
		expect(server.lines()).not.toContain(exchangeLine);
		expect(await waitForStatus(client, "ready")).toMatchObject({ profile: { outletId: "ward" } });
	},
);

test("a response without a refresh token keeps the stored one", async () => {
	const storage = memoryStorage();
	const key = "lango:console-ui::refresh";
	storage.set(key, JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const { client } = await reload(["stored"], { storage });
	server.on(selectLine, { body: { ...tokens({ outlet_id: "ward" }, 7), refresh_token: undefined } });
	server.on("GET /api/v1/auth/me", { body: { ...identity, outlet_id: "ward" } });
	await client.selectOutlet("ward");
	await waitForStatus(client, "ready");
	expect(storage.get(key)).toContain("s1.0");
});

test("a selection that did not reach the service can be repeated with the same one-time token", async () => {
	const { client, tab } = await reload([], { isSignedOut: true });
	server.on(selectLine, "cut");
	await expect(client.selectOutlet("ward")).rejects.toMatchObject({ code: "unreachable" });
	expect(client.getState().status).toBe("choosing_outlet");
	expect(tab.get(exchangeKey)).toContain("stored");
});

describe("an outlet that the browser keeps", () => {
	const keptKey = `lango-outlet:hospital:${identity.tenant_id}:${identity.user_id}`;
	const browserWith = (outletId: string) => {
		const browser = memoryStorage();
		browser.set(keptKey, outletId);
		return browser;
	};
	const offers = {
		...{ ...tokens({ outlet_scope: "unselected" }, 1), refresh_token: undefined },
		...{ requiresOutletSelection: true, ssoExchangeToken: "first", outletIds: ["ward", "hq"] },
	};
	const open = (browser: ReturnType<typeof memoryStorage>) => {
		server.on("POST /api/v1/auth/resume", { body: offers });
		return server.client({ isSignedOut: true, isResumed: true, service: { name: "hospital" }, browser });
	};

	test("is selected for a new session without a question", async () => {
		const client = open(browserWith("hq"));
		const seen: string[] = [];
		client.subscribe(() => seen.push(client.getState().status));
		server.on(selectLine, ({ body }) => {
			expect(JSON.parse(body)).toEqual({ ssoExchangeToken: "first", outletId: "hq" });
			server.on("GET /api/v1/auth/me", { body: { ...identity, outlet_id: "hq" } });
			return { body: tokens({ outlet_scope: "selected", outlet_id: "hq" }, 2) };
		});
		await client.start();
		expect(await waitForStatus(client, "ready")).toMatchObject({
			outlet: { kind: "selected", outletId: "hq" },
		});
		expect(seen).not.toContain("choosing_outlet");
	});

	test.each(["closed", "ward"])(
		"is dropped and another is asked for if the service does not offer or refuses it: %s",
		async (kept) => {
			const browser = browserWith(kept);
			const client = open(browser);
			server.on(selectLine, { status: 403, body: { error: "no", code: "outlet_forbidden" } });
			await client.start();
			const { outletIds } = offers;
			expect(await waitForStatus(client, "choosing_outlet")).toMatchObject({ outletIds });
			expect(server.lines().includes(selectLine)).toBe(kept === "ward");
			expect(browser.get(keptKey)).toBeUndefined();
		},
	);

	test("is asked for if it cannot be selected now, and is kept", async () => {
		const browser = browserWith("ward");
		const client = open(browser);
		server.on(selectLine, "cut");
		await client.start();
		await waitForStatus(client, "choosing_outlet");
		expect(browser.get(keptKey)).toBe("ward");
	});
});
