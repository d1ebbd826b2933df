import { memoryStorage } from "@lango/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gate, identity, openScene, reach, type Scene, tokens } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

const refused = { status: 401, body: { error: "no", code: "token_invalid", request_id: "r-1" } };
const graceMilliseconds = 15_000;

/** In, and with the lines of coming in forgotten. */
async function enter(options: Parameters<Scene["client"]>[0] = {}) {
	const client = scene.client({ urls: [scene.url], ...options });
	await client.start();
	await reach(client, "ready");
	scene.asked.length = 0;
	return client;
}

test("a 401 is answered by one refresh, and the call is sent once more with the new token", async () => {
	const client = await enter();
	const replies = [refused, { body: { items: [1] } }];
	scene.on("GET /people", () => replies.shift() ?? refused);
	expect(await client.call(`${scene.url}/people`)).toEqual({ items: [1] });
	expect(scene.lines()).toEqual(["GET /people", "POST /api/v1/auth/refresh", "GET /people"]);
	const [first, , second] = scene.asked;
	expect(second?.headers.authorization).not.toBe(first?.headers.authorization);
});

test("a 401 that outlives the refresh clears everything and leads to the sign-on's logout", async () => {
	const storage = memoryStorage();
	const tab = memoryStorage();
	const kept = "lango:console-ui::refresh";
	storage.set(kept, JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const client = await enter({ storage, tab });
	let cleared = 0;
	client.onClear(() => (cleared += 1));
	scene.on("GET /people", refused);
	scene.now.at += graceMilliseconds;
	await expect(client.call(`${scene.url}/people`)).rejects.toMatchObject({ status: 401, requestId: "r-1" });
	expect(scene.lines()).toEqual(["GET /people", "POST /api/v1/auth/refresh", "GET /people"]);
	expect(cleared).toBe(1);
	expect(storage.get(kept)).toBeUndefined();
	expect(client.getState()).toEqual({ status: "leaving" });
	expect(client.left).toEqual([
		`${scene.url}/api/v1/auth/logout?post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A3001%2F`,
	]);
	await expect(client.call(`${scene.url}/people`)).rejects.toMatchObject({ code: "signed_out" });
});

test("a 401 within 15 seconds of the sign-in signs nobody out", async () => {
	const client = await enter();
	scene.on("GET /people", refused);
	scene.now.at += graceMilliseconds - 1_000;
	await expect(client.call(`${scene.url}/people`)).rejects.toMatchObject({ status: 401 });
	expect(client.getState().status).toBe("ready");
	expect(client.left).toEqual([]);
});

test("a 401 while the profile is being fetched signs nobody out, however late", async () => {
	const { opened, open } = gate();
	scene.on("GET /api/v1/auth/me", async () => {
		await opened;
		return { body: identity };
	});
	scene.on("GET /people", refused);
	const client = scene.client();
	const started = client.start();
	await reach(client, "syncing");
	scene.now.at += 60_000;
	await expect(client.call("/people")).rejects.toMatchObject({ status: 401 });
	expect(client.getState().status).toBe("syncing");
	expect(client.left).toEqual([]);
	scene.now.at -= 60_000;
	open();
	await started;
	expect(client.getState().status).toBe("ready");
});

test("a 401 of auth/me is neither refreshed nor sent again, the sign-on's and a service's alike", async () => {
	const client = await enter();
	scene.on("GET /api/v1/auth/me", refused);
	scene.on("GET /api/v1/uhai/hospital/auth/me", refused);
	await expect(client.call(`${scene.url}/api/v1/auth/me`)).rejects.toMatchObject({ status: 401 });
	await expect(client.call("/api/v1/uhai/hospital/auth/me")).rejects.toMatchObject({ status: 401 });
	expect(scene.lines()).toEqual(["GET /api/v1/auth/me", "GET /api/v1/uhai/hospital/auth/me"]);
	expect(client.getState().status).toBe("ready");
});

test("a sign-in asks for the page's languages by ui_locales, and for none without them", async () => {
	const languagesOf = async (options: object) => {
		const client = scene.client({ isStranger: true, ...options });
		await client.signIn();
		return new URL(client.left[0] ?? "").searchParams.get("ui_locales");
	};
	expect(await languagesOf({ uiLocales: () => ["sw", "en"] })).toBe("sw en");
	expect(await languagesOf({})).toBeNull();
});

test("a session the sign-on service has ended is left once a refresh is refused", async () => {
	const client = await enter();
	scene.on("GET /people", refused);
	scene.on("POST /api/v1/auth/refresh", { status: 401, body: { error: "over", code: "invalid_grant" } });
	scene.now.at += graceMilliseconds;
	await expect(client.call("/people")).rejects.toMatchObject({ code: "invalid_grant" });
	expect(client.left).toHaveLength(1);
});

test("a refresh that fails on the way signs nobody out", async () => {
	const client = await enter();
	scene.on("GET /people", refused);
	scene.now.at += graceMilliseconds;
	scene.on("POST /api/v1/auth/refresh", "cut");
	await expect(client.call("/people")).rejects.toMatchObject({ code: "unreachable" });
	scene.on("POST /api/v1/auth/refresh", { status: 503, body: { error: "away", code: "unavailable" } });
	await expect(client.call("/people")).rejects.toMatchObject({ code: "unavailable", status: 503 });
	expect(client.getState().status).toBe("ready");
	expect(client.left).toEqual([]);
});

test("twenty calls that are refused at once share one refresh", async () => {
	const client = await enter();
	const first = new Set<string>();
	scene.on("GET /people", ({ headers: { authorization = "" } }) => {
		if (first.size === 0) first.add(authorization);
		return first.has(authorization) ? refused : { body: [] };
	});
	await Promise.all(Array.from({ length: 20 }, () => client.call("/people")));
	expect(scene.lines().filter((line) => line === "POST /api/v1/auth/refresh")).toHaveLength(1);
});

test("a call that was refused with an older token is sent again with the one there is, without a refresh", async () => {
	const client = await enter();
	const { opened, open } = gate();
	let slow = 0;
	scene.on("GET /slow", async () => {
		slow += 1;
		if (slow > 1) return { body: "1" };
		await opened;
		return refused;
	});
	const late = client.call("/slow");
	await client.renew();
	scene.asked.length = 0;
	open();
	expect(await late).toBe(1);
	expect(scene.lines()).not.toContain("POST /api/v1/auth/refresh");
});

test("a token whose time is over by the clock is refreshed before it is sent", async () => {
	const client = await enter();
	scene.on("GET /people", { body: [] });
	scene.now.at += 21_600_000;
	await client.call("/people");
	expect(scene.lines()).toEqual(["POST /api/v1/auth/refresh", "GET /people"]);
});

test("a refresh without a new refresh token goes on with the one before", async () => {
	const client = await enter();
	const sent: string[] = [];
	scene.on("POST /api/v1/auth/refresh", ({ body }) => {
		sent.push(JSON.parse(body).refresh_token);
		return { body: { ...tokens({ jti: `n${sent.length}` }, 0), refresh_token: undefined } };
	});
	await client.renew();
	await client.renew();
	expect(sent).toEqual(["s1.1", "s1.1"]);
});

test("signing out during a refresh leaves no token behind", async () => {
	const storage = memoryStorage();
	storage.set("lango:console-ui::refresh", JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const client = await enter({ storage });
	const { opened, open } = gate();
	scene.on("POST /api/v1/auth/refresh", async () => {
		await opened;
		return { body: tokens({ jti: "late" }, 9) };
	});
	const renewed = expect(client.renew()).rejects.toMatchObject({ code: "signed_out" });
	await vi.waitFor(() => expect(scene.lines()).toContain("POST /api/v1/auth/refresh"));
	await client.signOut();
	open();
	await renewed;
	expect(storage.get("lango:console-ui::refresh")).toBeUndefined();
	expect(client.getState().status).toBe("leaving");
});

test("a page that is loaded anew with a session that is over asks for a sign-in and says why", async () => {
	scene.on("POST /api/v1/auth/refresh", { status: 401, body: { error: "over", code: "invalid_grant" } });
	const client = scene.client();
	await client.start();
	expect(client.getState()).toEqual({ status: "signed_out", ended: true });
	expect(client.left).toEqual([]);
});

test("a page that is loaded anew while the sign-on service is away says so, and goes on when tried again", async () => {
	scene.on("POST /api/v1/auth/refresh", "cut");
	const client = scene.client();
	await client.start();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "unreachable" } });
	scene.on("POST /api/v1/auth/refresh", { body: tokens({}, 1) });
	await client.retry();
	expect(client.getState().status).toBe("ready");
});

test("a stranger is signed out and nothing is asked", async () => {
	const client = scene.client({ isStranger: true });
	await client.start();
	expect(client.getState()).toEqual({ status: "signed_out", ended: false });
	expect(scene.asked).toEqual([]);
});
