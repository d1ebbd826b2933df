import { type Client, ClientError, type Locks, memoryStorage, type TabChannel } from "@lango/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gate, openScene, reach, type Scene, tokens } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

/** What one browser gives all its tabs: locks in order of asking, and channels that tell everybody else a moment later. */
function openBrowser(): { locks: Locks; channel: (name: string) => TabChannel } {
	const queues = new Map<string, Promise<unknown>>();
	const channels = new Map<string, Set<EventTarget>>();
	return {
		locks: {
			request(name, _options, work) {
				const turn = (queues.get(name) ?? Promise.resolve()).then(work, work);
				queues.set(name, turn);
				return turn;
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
const refreshes = () => scene.lines().filter((line) => line === "POST /api/v1/auth/refresh").length;

/** Two tabs of one session, as duplicating a tab makes them: each has its own storage with the same in it. */
async function openTwo(browser: Pick<ReturnType<typeof openBrowser>, "locks" | "channel"> | object) {
	const one = scene.client({ wait, ...browser });
	await one.start();
	const other = scene.client({ wait, ...browser });
	await other.start();
	await reach(other, "ready");
	return [one, other] as const;
}

test("a duplicated tab takes the tokens of the first and asks for none", async () => {
	const [one, other] = await openTwo(openBrowser());
	expect(refreshes()).toBe(1);
	scene.on("GET /people", ({ headers }) => ({ body: { token: headers.authorization } }));
	expect(await one.call("/people")).toEqual(await other.call("/people"));
});

test("two tabs whose token ran out at once share one refresh", async () => {
	const tabs = await openTwo(openBrowser());
	scene.on("GET /people", { body: [] });
	scene.asked.length = 0;
	scene.now.at += 21_600_000;
	await Promise.all(tabs.map((tab) => tab.call("/people")));
	expect(refreshes()).toBe(1);
	const used = scene.asked
		.filter(({ line }) => line === "GET /people")
		.map(({ headers }) => headers.authorization);
	expect(new Set(used).size).toBe(1);
});

test("a tab that refreshed long ago passes its tokens on, so that no used-up refresh token is ever sent", async () => {
	const sent: string[] = [];
	scene.on("POST /api/v1/auth/refresh", ({ body }) => {
		sent.push(JSON.parse(body).refresh_token);
		return { body: tokens({ jti: String(sent.length) }, sent.length) };
	});
	const [one, other] = await openTwo(openBrowser());
	for (const tab of [one, other, one, other]) {
		scene.now.at += 21_600_000;
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
		"a lock that can be had",
		({ channel }: ReturnType<typeof openBrowser>) => ({
			channel,
			locks: { request: () => Promise.reject(new DOMException("late", "AbortError")) },
		}),
	],
])("without %s every tab still refreshes, by itself where it must", async (_what, take) => {
	const tabs = await openTwo(take(openBrowser()));
	scene.on("GET /people", { body: [] });
	scene.now.at += 21_600_000;
	for (const tab of tabs) expect(await tab.call("/people")).toEqual([]);
});

test("two tabs in two tenants never take each other's tokens", async () => {
	const browser = openBrowser();
	const open = async (tenant: string) => {
		const storage = memoryStorage();
		const kept = JSON.stringify({ refreshToken: `${tenant}.0`, sid: tenant });
		storage.set(`lango:console-ui:${tenant}:refresh`, kept);
		const client = scene.client({ wait, ...browser, storage });
		await client.start({ tenant });
		return client;
	};
	scene.on("POST /api/v1/auth/refresh", ({ body }) => {
		const [sid = ""] = JSON.parse(body).refresh_token.split(".");
		const claims = { sid, tenant_slug: sid, jti: String(scene.asked.length) };
		return { body: { ...tokens(claims, 1), refresh_token: `${sid}.1` } };
	});
	scene.on("GET /who", ({ headers: { authorization = "" } }) => {
		const claims = JSON.parse(Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString());
		return { body: JSON.stringify(claims.tenant_slug) };
	});
	const [uhai, kahawa] = [await open("uhai"), await open("kahawa")];
	scene.now.at += 21_600_000;
	const asked = await Promise.all([uhai.call("/who"), kahawa.call("/who"), uhai.call("/who")]);
	expect(asked).toEqual(["uhai", "kahawa", "uhai"]);
});

test("two tabs in two tenants keep their refresh tokens apart in one storage", async () => {
	const storage = memoryStorage();
	storage.set("lango:console-ui:uhai:refresh", JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const stranger = scene.client({ storage });
	await stranger.start({ tenant: "kahawa" });
	expect(stranger.getState().status).toBe("signed_out");
	const known = scene.client({ storage });
	await known.start({ tenant: "uhai" });
	expect(known.getState().status).toBe("ready");
});

test("a sign-out removes every key of the client, also the refresh tokens of other tenants and a sign-in under way", async () => {
	const [storage, tab] = [memoryStorage(), memoryStorage()];
	const refreshToken = JSON.stringify({ refreshToken: "s1.0", sid: "s1" });
	const own = ["uhai", "kahawa"].map((tenant) => `lango:console-ui:${tenant}:refresh`);
	for (const key of [...own, "lango:pos-ui:uhai:refresh"]) storage.set(key, refreshToken);
	tab.set("lango:console-ui:sign-in", "{}");
	const client = scene.client({ storage, tab });
	await client.start({ tenant: "uhai" });
	scene.on("POST /api/v1/auth/logout", { body: { revoked: true } });
	await client.signOut();
	for (const key of own) expect(storage.get(key)).toBeUndefined();
	expect(tab.get("lango:console-ui:sign-in")).toBeUndefined();
	expect(storage.get("lango:pos-ui:uhai:refresh")).toBe(refreshToken);
});

test("signing out in one tab is signing out in all, and only one opens the sign-on's logout", async () => {
	const [one, other] = await openTwo(openBrowser());
	scene.on("POST /api/v1/auth/logout", { body: { revoked: true } });
	await one.signOut();
	await reach(other, "signed_out");
	expect(other.getState()).toEqual({ status: "signed_out", ended: true });
	expect([one.left.length, other.left.length]).toEqual([1, 0]);
	await expect(other.call("/people")).rejects.toMatchObject({ code: "signed_out" });
});

/** A tab under way at what the line asks, and then the word of another tab that everybody is signed out. */
async function signOutDuring(line: string, reply: object, begin: (tab: Client) => Promise<unknown>) {
	scene.asked.length = 0;
	const browser = openBrowser();
	const tab = scene.client({ wait, ...browser });
	const { opened, open } = gate();
	scene.on(line, async () => {
		await opened;
		return reply;
	});
	const begun = begin(tab).catch((error: unknown) => error);
	await vi.waitFor(() => expect(scene.lines().some((one) => one.startsWith(line))).toBe(true));
	await scene.client({ wait, ...browser, isStranger: true }).signOut();
	await reach(tab, "signed_out");
	open();
	const outcome = await begun;
	await wait(10);
	expect(tab.getState()).toEqual({ status: "signed_out", ended: true });
	await expect(tab.call("/people")).rejects.toMatchObject({ code: "signed_out" });
	return outcome;
}

test("a tab that is being restored while another signs out is signed out, and nothing has failed", async () => {
	await signOutDuring("POST /api/v1/auth/refresh", { body: tokens({}, 1) }, (tab) => tab.start());
	const refused = { status: 503, body: { error: "away", code: "unavailable" } };
	await signOutDuring("POST /api/v1/auth/refresh", refused, (tab) => tab.start());
});

test.each([
	["came back with a code", { body: tokens({}, 1) }],
	["came back with a code that is refused", { status: 400, body: { error: "invalid_grant" } }],
])("a tab that %s while another signs out is signed out", async (_what, reply) => {
	const outcome = await signOutDuring("POST /api/v1/token", reply, async (tab) => {
		await tab.signIn();
		const state = new URL((tab as ReturnType<Scene["client"]>).left[0] ?? "").searchParams.get("state");
		await tab.completeSignIn(`http://localhost:3001/auth/callback?code=c&state=${state}`);
	});
	expect(outcome).toBeInstanceOf(ClientError);
});

test("a tab that chooses its outlet while another signs out is signed out", async () => {
	const choose = { ...tokens({}, 1), requiresOutletSelection: true, ssoExchangeToken: "once" };
	scene.on("POST /api/v1/token", { body: choose });
	await signOutDuring("POST /api/v1/auth/select-outlet", { body: tokens({}, 2) }, async (tab) => {
		await tab.signIn();
		const state = new URL((tab as ReturnType<Scene["client"]>).left[0] ?? "").searchParams.get("state");
		await tab.completeSignIn(`http://localhost:3001/auth/callback?code=c&state=${state}`);
		await tab.selectOutlet("ward");
	});
});

test("a tab that was closed hears nothing", async () => {
	const [one, other] = await openTwo(openBrowser());
	other.close();
	scene.on("POST /api/v1/auth/logout", { body: { revoked: true } });
	await one.signOut();
	await wait(10);
	expect(other.getState().status).toBe("ready");
});
