import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestServer, type TestServer, tokens, waitForStatus } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

const line = "POST /api/v1/auth/resume";
const withoutRefresh = (jti: string) => ({ ...tokens({ jti }, 1), refresh_token: undefined });
const open = () => server.client({ isSignedOut: true, isResumed: true, urls: [server.url] });

test("a start without a token continues the session of the browser, in the tenant that is asked for", async () => {
	server.on(line, { body: withoutRefresh("1") });
	const client = open();
	await client.start({ tenant: "uhai" });
	await waitForStatus(client, "ready");
	expect(server.asked[0]?.body).toBe("client_id=console-ui&tenant=uhai");
	expect(server.asked[0]?.headers["content-type"]).toMatch("application/x-www-form-urlencoded");
	expect(client.left).toEqual([]);
});

test("without the option no cookie and no such request is sent", async () => {
	const client = server.client({ isSignedOut: true });
	await client.start();
	expect([client.getState(), server.lines()]).toEqual([{ status: "signed_out", ended: false }, []]);
});

test("without a session of the browser the tab is signed out; a service that is away is a failure to retry", async () => {
	server.on(line, { status: 204 });
	const client = open();
	await client.start();
	expect(client.getState()).toEqual({ status: "signed_out", ended: false });
	server.on(line, { status: 503, body: { error: "away", code: "unavailable" } });
	await client.start({ tenant: "uhai" });
	expect(client.getState().status).toBe("failed");
	server.on(line, { body: withoutRefresh("1") });
	await client.retry();
	await waitForStatus(client, "ready");
	expect(server.asked.filter((one) => one.line === line).at(-1)?.body).toContain("tenant=uhai");
});

test("a refresh without a refresh token continues the same session only, and ends when that has ended", async () => {
	server.on(line, { body: withoutRefresh("1") });
	const client = open();
	await client.start();
	await waitForStatus(client, "ready");
	const sid = "s1";
	server.now.at += 7 * 3_600_000;
	server.on(line, { body: withoutRefresh("2") });
	server.on("GET /people", { body: [] });
	await client.call(`${server.url}/people`);
	expect(server.asked.filter((one) => one.line === line).at(-1)?.body).toContain(`session_id=${sid}`);
	server.on(line, { status: 204 });
	server.now.at += 7 * 3_600_000;
	await expect(client.call(`${server.url}/people`)).rejects.toMatchObject({ code: "invalid_grant" });
	await waitForStatus(client, "redirecting");
});
