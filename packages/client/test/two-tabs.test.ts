import { type Client, ClientError, type Locks, memoryStorage, type TabChannel } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gate, identity, openTestServer, type TestServer, tokens, waitForStatus } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

/** The locks and channels that the tabs of one browser share. Messages are delivered asynchronously. */
function openBrowser(): { locks: Locks; channel: (name: string) => TabChannel } {
	const queues = new Map<string, Promise<unknown>>();
	const channels = new Map<string, Set<EventTarget>>();
	return {
		locks: {
			request(name, _options, work) {
				const done = (queues.get(name) ?? Promise.resolve()).then(work, work);
				queues.set(name, done);
				return done;
			},
		},
		channel(name) {
			const here = new EventTarget();
			const all = channels.get(name) ?? new Set();
			channels.set(name, all.add(here));
			return {
				addEventListener: (kind, listener) => here.addEventListener(kind, listener),
				postMessage(data) {
					const message = structuredClone(data);
					for (const other of all)
						if (other !== here)
							setTimeout(() => other.dispatchEvent(new MessageEvent("message", { data: message })), 0);
				},
				close: () => void all.delete(here),
			};
		},
	};
}

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const refreshes = () => server.lines().filter((line) => line === "POST /api/v1/auth/refresh").length;

/** Opens a tab and a duplicate of it: two storages with the same content. */
async function openTwo(browser: Pick<ReturnType<typeof openBrowser>, "locks" | "channel"> | object) {
	const one = server.client({ wait, ...browser });
	await one.start();
	const other = server.client({ wait, ...browser });
	await other.start();
	await waitForStatus(other, "ready");
	return [one, other] as const;
}

test("a duplicated tab uses the tokens of the first tab without a refresh", async () => {
	const [one, other] = await openTwo(openBrowser());
	expect(refreshes()).toBe(1);
	server.on("GET /people", ({ headers }) => ({ body: { token: headers.authorization } }));
	expect(await one.call("/people")).toEqual(await other.call("/people"));
});

test("two tabs with an expired token share one refresh", async () => {
	const tabs = await openTwo(openBrowser());
	server.on("GET /people", { body: [] });
	server.asked.length = 0;
	server.now.at += 21_600_000;
	await Promise.all(tabs.map((tab) => tab.call("/people")));
	expect(refreshes()).toBe(1);
	const used = server.asked
		.filter(({ line }) => line === "GET /people")
		.map(({ headers }) => headers.authorization);
	expect(new Set(used).size).toBe(1);
});

test("tabs exchange tokens, so that no refresh token is sent twice", async () => {
	const sent: string[] = [];
	server.on("POST /api/v1/auth/refresh", ({ body }) => {
		sent.push(JSON.parse(body).refresh_token);
		return { body: tokens({ jti: String(sent.length) }, sent.length) };
	});
	const [one, other] = await openTwo(openBrowser());
	for (const tab of [one, other, one, other]) {
		server.now.at += 21_600_000;
		await tab.renew();
		await wait(5);
	}
	expect(new Set(sent).size).toBe(sent.length);
	expect(sent).toEqual(["s1.0", "s1.1", "s1.2", "s1.3", "s1.4"]);
});

test.each([
	["Web Locks", ({ channel }: ReturnType<typeof openBrowser>) => ({ channel, locks: undefined })],
	["BroadcastChannel", ({ locks }: ReturnType<typeof openBrowser>) => ({ locks, channel: undefined })],
	["both", () => ({ locks: undefined, channel: undefined })],
	[
		"an available lock",
		({ channel }: ReturnType<typeof openBrowser>) => ({
			channel,
			locks: { request: () => Promise.reject(new DOMException("late", "AbortError")) },
		}),
	],
])("without %s every tab can still refresh", async (_what, take) => {
	const tabs = await openTwo(take(openBrowser()));
	server.on("GET /people", { body: [] });
	server.now.at += 21_600_000;
	for (const tab of tabs) expect(await tab.call("/people")).toEqual([]);
});

test("tabs of two tenants do not exchange tokens", async () => {
	const browser = openBrowser();
	const open = async (tenant: string) => {
		const storage = memoryStorage();
		const stored = JSON.stringify({ refreshToken: `${tenant}.0`, sid: tenant });
		storage.set(`lango:console-ui:${tenant}:refresh`, stored);
		const client = server.client({ wait, ...browser, storage });
		await client.start({ tenant });
		return client;
	};
	server.on("POST /api/v1/auth/refresh", ({ body }) => {
		const [sid = ""] = JSON.parse(body).refresh_token.split(".");
		const claims = { sid, tenant_slug: sid, jti: String(server.asked.length) };
		return { body: { ...tokens(claims, 1), refresh_token: `${sid}.1` } };
	});
	server.on("GET /who", ({ headers: { authorization = "" } }) => {
		const claims = JSON.parse(Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString());
		return { body: JSON.stringify(claims.tenant_slug) };
	});
	const [uhai, kahawa] = [await open("uhai"), await open("kahawa")];
	server.now.at += 21_600_000;
	const asked = await Promise.all([uhai.call("/who"), kahawa.call("/who"), uhai.call("/who")]);
	expect(asked).toEqual(["uhai", "kahawa", "uhai"]);
});

test("tabs of two tenants have separate refresh tokens in one storage", async () => {
	const storage = memoryStorage();
	storage.set("lango:console-ui:uhai:refresh", JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const other = server.client({ storage });
	await other.start({ tenant: "kahawa" });
	expect(other.getState().status).toBe("signed_out");
	const known = server.client({ storage });
	await known.start({ tenant: "uhai" });
	expect(known.getState().status).toBe("ready");
});

test("a sign-out removes all keys of the client: refresh tokens of all tenants and a pending sign-in", async () => {
	const [storage, tab] = [memoryStorage(), memoryStorage()];
	const refreshToken = JSON.stringify({ refreshToken: "s1.0", sid: "s1" });
	const own = ["uhai", "kahawa"].map((tenant) => `lango:console-ui:${tenant}:refresh`);
	for (const key of [...own, "lango:pos-ui:uhai:refresh"]) storage.set(key, refreshToken);
	tab.set("lango:console-ui:sign-in", "{}");
	const client = server.client({ storage, tab });
	await client.start({ tenant: "uhai" });
	server.on("POST /api/v1/auth/logout", { body: { revoked: true } });
	await client.signOut();
	for (const key of own) expect(storage.get(key)).toBeUndefined();
	expect(tab.get("lango:console-ui:sign-in")).toBeUndefined();
	expect(storage.get("lango:pos-ui:uhai:refresh")).toBe(refreshToken);
});

test("a sign-out in one tab signs out all tabs, and only that tab opens the logout", async () => {
	const [one, other] = await openTwo(openBrowser());
	server.on("POST /api/v1/auth/logout", { body: { revoked: true } });
	const cleared: boolean[] = [];
	for (const tab of [one, other]) tab.onClear((isSignOut) => void cleared.push(isSignOut));
	await one.signOut();
	await waitForStatus(other, "signed_out");
	expect(other.getState()).toEqual({ status: "signed_out", ended: true });
	expect(cleared).toEqual([true, true]);
	expect([one.left.length, other.left.length]).toEqual([1, 0]);
	await expect(other.call("/people")).rejects.toMatchObject({ code: "signed_out" });
});

/** Signs out in another tab while a tab waits for the response to `line`. */
async function signOutDuring(line: string, reply: object, begin: (tab: Client) => Promise<unknown>) {
	server.asked.length = 0;
	const browser = openBrowser();
	const tab = server.client({ wait, ...browser });
	const { opened, open } = gate();
	server.on(line, async () => {
		await opened;
		return reply;
	});
	const begun = begin(tab).catch((error: unknown) => error);
	await expect.poll(() => server.lines().some((one) => one.startsWith(line))).toBe(true);
	await server.client({ wait, ...browser, isSignedOut: true }).signOut();
	await waitForStatus(tab, "signed_out");
	open();
	const outcome = await begun;
	await wait(10);
	expect(tab.getState()).toEqual({ status: "signed_out", ended: true });
	await expect(tab.call("/people")).rejects.toMatchObject({ code: "signed_out" });
	return outcome;
}

test("a tab that restores its session during a sign-out in another tab is signed out, not failed", async () => {
	await signOutDuring("POST /api/v1/auth/refresh", { body: tokens({}, 1) }, (tab) => tab.start());
	const refused = { status: 503, body: { error: "unavailable", code: "unavailable" } };
	await signOutDuring("POST /api/v1/auth/refresh", refused, (tab) => tab.start());
});

test.each([
	["exchanges a code", { body: tokens({}, 1) }],
	["exchanges a code that is refused", { status: 400, body: { error: "invalid_grant" } }],
])("a tab that %s during a sign-out in another tab is signed out", async (_what, reply) => {
	const outcome = await signOutDuring("POST /api/v1/token", reply, async (tab) => {
		await tab.signIn();
		const state = new URL((tab as ReturnType<TestServer["client"]>).left[0] ?? "").searchParams.get("state");
		await tab.completeSignIn(`http://localhost:3001/auth/callback?code=c&state=${state}`);
	});
	expect(outcome).toBeInstanceOf(ClientError);
});

test("a tab that selects its outlet during a sign-out in another tab is signed out", async () => {
	const choose = { ...tokens({}, 1), requiresOutletSelection: true, ssoExchangeToken: "once" };
	server.on("POST /api/v1/token", { body: choose });
	await signOutDuring("POST /api/v1/auth/select-outlet", { body: tokens({}, 2) }, async (tab) => {
		await tab.signIn();
		const state = new URL((tab as ReturnType<TestServer["client"]>).left[0] ?? "").searchParams.get("state");
		await tab.completeSignIn(`http://localhost:3001/auth/callback?code=c&state=${state}`);
		await tab.selectOutlet("ward");
	});
});

test("a closed client receives no messages from other tabs", async () => {
	const [one, other] = await openTwo(openBrowser());
	other.close();
	server.on("POST /api/v1/auth/logout", { body: { revoked: true } });
	await one.signOut();
	await wait(10);
	expect(other.getState().status).toBe("ready");
});

const person = { sub: identity.user_id };

/** A tab that stays when its session has expired, and whose session has just been refused. */
async function openExpired(browser: ReturnType<typeof openBrowser>) {
	const tab = server.client({ wait, ...browser, staysWhenExpired: true });
	await tab.start();
	await waitForStatus(tab, "ready");
	const renewed = new Set<string>();
	const refused = { status: 401, body: { error: "no", code: "token_invalid" } };
	server.on("GET /people", ({ headers: { authorization = "" } }) =>
		renewed.has(authorization) ? { body: [] } : refused,
	);
	server.now.at += 15_000;
	await expect(tab.call(`${server.url}/people`)).rejects.toMatchObject({ status: 401 });
	return { tab, renewed };
}

/** Signs in in another tab, and gets tokens with these claims. */
async function signInElsewhere(browser: ReturnType<typeof openBrowser>, claims: object) {
	const tab = server.client({ wait, ...browser, isSignedOut: true });
	await tab.signIn();
	const state = new URL(tab.left[0] ?? "").searchParams.get("state");
	const body = tokens(claims, 0) as { access_token: string };
	server.on("POST /api/v1/token", { body });
	await tab.completeSignIn(`http://localhost:3001/auth/callback?code=c&state=${state}`);
	await wait(10);
	return `Bearer ${body.access_token}`;
}

test("a page that stays when its session has expired continues with the person's next sign-in in another tab", async () => {
	const browser = openBrowser();
	const { tab, renewed } = await openExpired(browser);
	expect(tab.getState()).toMatchObject({ status: "ready", isExpired: true });
	expect(tab.left).toEqual([]);
	renewed.add(await signInElsewhere(browser, { ...person, sid: "s2" }));
	expect(tab.getState()).toMatchObject({ status: "ready", isExpired: false });
	expect(await tab.call(`${server.url}/people`)).toEqual([]);
});

test.each([
	["another person", { sub: "0b1e2c7a-0000-4000-8000-000000000002", sid: "s2" }],
	["the same person in another tenant", { ...person, tenant_id: "another", sid: "s2" }],
])("such a page does not continue with the session of %s", async (_of, claims) => {
	const browser = openBrowser();
	const { tab } = await openExpired(browser);
	await signInElsewhere(browser, claims);
	expect(tab.getState()).toMatchObject({ status: "ready", isExpired: true });
	await expect(tab.call("/people")).rejects.toMatchObject({ status: 401 });
});
