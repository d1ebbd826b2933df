import { memoryStorage } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gate, identity, openTestServer, type TestServer, tokens, waitForStatus } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

const refused = { status: 401, body: { error: "no", code: "token_invalid", request_id: "r-1" } };
const graceMilliseconds = 15_000;

/** Starts a client and forgets the requests of the start. */
async function startClient(options: Parameters<TestServer["client"]>[0] = {}) {
	const client = server.client({ urls: [server.url], ...options });
	await client.start();
	await waitForStatus(client, "ready");
	server.asked.length = 0;
	return client;
}

test("a 401 causes one refresh and one retry with the new token", async () => {
	const client = await startClient();
	const replies = [refused, { body: { items: [1] } }];
	server.on("GET /people", () => replies.shift() ?? refused);
	expect(await client.call(`${server.url}/people`)).toEqual({ items: [1] });
	expect(server.lines()).toEqual(["GET /people", "POST /api/v1/auth/refresh", "GET /people"]);
	const [first, , second] = server.asked;
	expect(second?.headers.authorization).not.toBe(first?.headers.authorization);
});

test("a second 401 after a refresh clears all data and opens the logout of the sign-on service", async () => {
	const storage = memoryStorage();
	const tab = memoryStorage();
	const stored = "lango:console-ui::refresh";
	storage.set(stored, JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const client = await startClient({ storage, tab });
	const cleared: boolean[] = [];
	client.onClear((isSignOut) => void cleared.push(isSignOut));
	server.on("GET /people", refused);
	server.now.at += graceMilliseconds;
	await expect(client.call(`${server.url}/people`)).rejects.toMatchObject({ status: 401, requestId: "r-1" });
	expect(server.lines()).toEqual(["GET /people", "POST /api/v1/auth/refresh", "GET /people"]);
	expect(cleared).toEqual([false]);
	expect(storage.get(stored)).toBeUndefined();
	expect(client.getState()).toEqual({ status: "redirecting" });
	expect(client.left).toEqual([
		`${server.url}/api/v1/auth/logout?post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A3001%2F`,
	]);
	await expect(client.call(`${server.url}/people`)).rejects.toMatchObject({ code: "signed_out" });
});

test("a 401 within 15 seconds of the sign-in does not end the session", async () => {
	const client = await startClient();
	server.on("GET /people", refused);
	server.now.at += graceMilliseconds - 1_000;
	await expect(client.call(`${server.url}/people`)).rejects.toMatchObject({ status: 401 });
	expect(client.getState().status).toBe("ready");
	expect(client.left).toEqual([]);
});

test("a 401 while the profile is loading does not end the session", async () => {
	const { opened, open } = gate();
	server.on("GET /api/v1/auth/me", async () => {
		await opened;
		return { body: identity };
	});
	server.on("GET /people", refused);
	const client = server.client();
	const started = client.start();
	await waitForStatus(client, "syncing");
	server.now.at += 60_000;
	await expect(client.call("/people")).rejects.toMatchObject({ status: 401 });
	expect(client.getState().status).toBe("syncing");
	expect(client.left).toEqual([]);
	server.now.at -= 60_000;
	open();
	await started;
	expect(client.getState().status).toBe("ready");
});

test("a 401 of an auth/me causes no refresh and no retry", async () => {
	const client = await startClient();
	server.on("GET /api/v1/auth/me", refused);
	server.on("GET /api/v1/uhai/hospital/auth/me", refused);
	await expect(client.call(`${server.url}/api/v1/auth/me`)).rejects.toMatchObject({ status: 401 });
	await expect(client.call("/api/v1/uhai/hospital/auth/me")).rejects.toMatchObject({ status: 401 });
	expect(server.lines()).toEqual(["GET /api/v1/auth/me", "GET /api/v1/uhai/hospital/auth/me"]);
	expect(client.getState().status).toBe("ready");
});

test("a sign-in sends the languages of the page as ui_locales, or no ui_locales", async () => {
	const languagesOf = async (options: object) => {
		const client = server.client({ isSignedOut: true, ...options });
		await client.signIn();
		return new URL(client.left[0] ?? "").searchParams.get("ui_locales");
	};
	expect(await languagesOf({ uiLocales: () => ["sw", "en"] })).toBe("sw en");
	expect(await languagesOf({})).toBeNull();
});

test("a refused refresh ends the session", async () => {
	const client = await startClient();
	server.on("GET /people", refused);
	server.on("POST /api/v1/auth/refresh", { status: 401, body: { error: "over", code: "invalid_grant" } });
	server.now.at += graceMilliseconds;
	await expect(client.call("/people")).rejects.toMatchObject({ code: "invalid_grant" });
	expect(client.left).toHaveLength(1);
});

test("a refresh that fails because of the network or a 503 does not end the session", async () => {
	const client = await startClient();
	server.on("GET /people", refused);
	server.now.at += graceMilliseconds;
	server.on("POST /api/v1/auth/refresh", "cut");
	await expect(client.call("/people")).rejects.toMatchObject({ code: "unreachable" });
	server.on("POST /api/v1/auth/refresh", {
		status: 503,
		body: { error: "unavailable", code: "unavailable" },
	});
	await expect(client.call("/people")).rejects.toMatchObject({ code: "unavailable", status: 503 });
	expect(client.getState().status).toBe("ready");
	expect(client.left).toEqual([]);
});

test("twenty concurrent calls with a 401 share one refresh", async () => {
	const client = await startClient();
	const first = new Set<string>();
	server.on("GET /people", ({ headers: { authorization = "" } }) => {
		if (first.size === 0) first.add(authorization);
		return first.has(authorization) ? refused : { body: [] };
	});
	await Promise.all(Array.from({ length: 20 }, () => client.call("/people")));
	expect(server.lines().filter((line) => line === "POST /api/v1/auth/refresh")).toHaveLength(1);
});

test("a call refused with an older token is retried with the current token without a refresh", async () => {
	const client = await startClient();
	const { opened, open } = gate();
	let slow = 0;
	server.on("GET /slow", async () => {
		slow += 1;
		if (slow > 1) return { body: "1" };
		await opened;
		return refused;
	});
	const late = client.call("/slow");
	await client.renew();
	server.asked.length = 0;
	open();
	expect(await late).toBe(1);
	expect(server.lines()).not.toContain("POST /api/v1/auth/refresh");
});

test("an expired token is refreshed before a call", async () => {
	const client = await startClient();
	server.on("GET /people", { body: [] });
	server.now.at += 21_600_000;
	await client.call("/people");
	expect(server.lines()).toEqual(["POST /api/v1/auth/refresh", "GET /people"]);
});

test("a refresh without a new refresh token keeps the previous one", async () => {
	const client = await startClient();
	const sent: string[] = [];
	server.on("POST /api/v1/auth/refresh", ({ body }) => {
		sent.push(JSON.parse(body).refresh_token);
		return { body: { ...tokens({ jti: `n${sent.length}` }, 0), refresh_token: undefined } };
	});
	await client.renew();
	await client.renew();
	expect(sent).toEqual(["s1.1", "s1.1"]);
});

test("a sign-out during a refresh discards the new tokens", async () => {
	const storage = memoryStorage();
	storage.set("lango:console-ui::refresh", JSON.stringify({ refreshToken: "s1.0", sid: "s1" }));
	const client = await startClient({ storage });
	const { opened, open } = gate();
	server.on("POST /api/v1/auth/refresh", async () => {
		await opened;
		return { body: tokens({ jti: "late" }, 9) };
	});
	const renewed = expect(client.renew()).rejects.toMatchObject({ code: "signed_out" });
	await expect.poll(() => server.lines()).toContain("POST /api/v1/auth/refresh");
	await client.signOut();
	open();
	await renewed;
	expect(storage.get("lango:console-ui::refresh")).toBeUndefined();
	expect(client.getState().status).toBe("redirecting");
});

test("a page reload with an ended session leads to signed_out with ended: true", async () => {
	server.on("POST /api/v1/auth/refresh", { status: 401, body: { error: "over", code: "invalid_grant" } });
	const client = server.client();
	await client.start();
	expect(client.getState()).toEqual({ status: "signed_out", ended: true });
	expect(client.left).toEqual([]);
});

test("a page reload while the sign-on service is unreachable fails and can be retried", async () => {
	server.on("POST /api/v1/auth/refresh", "cut");
	const client = server.client();
	await client.start();
	expect(client.getState()).toMatchObject({ status: "failed", error: { code: "unreachable" } });
	server.on("POST /api/v1/auth/refresh", { body: tokens({}, 1) });
	await client.retry();
	expect(client.getState().status).toBe("ready");
});

test("without a stored session the state is signed out and no request is sent", async () => {
	const client = server.client({ isSignedOut: true });
	await client.start();
	expect(client.getState()).toEqual({ status: "signed_out", ended: false });
	expect(server.asked).toEqual([]);
});
