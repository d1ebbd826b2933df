import { expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { claimsOf, codeOf, obtainCode, openBrowser, password, setUpSignOn, tradeCode } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);

type Listed = { items: Array<Record<string, unknown>>; next_cursor: string | null };
const list = async (token: string, query = ""): Promise<Listed> =>
	(await office.call("GET", `/api/v1/auth/sessions${query}`, { token })).json();
const end = (token: string, id: unknown, query = "") =>
	office.call("DELETE", `/api/v1/auth/sessions/${id}${query}`, { token });
const me = async (token: string) => (await signOn.me(token)).statusCode;
const sid = (token: string) => claimsOf(token).sid;

test("a user's sessions are listed with client, tenant, start, and which one is current", async () => {
	const firm = await office.found();
	const browser = openBrowser(signOn.app);
	await browser.signIn(firm.email);
	const website = (await tradeCode(signOn.app, await obtainCode(browser))).json().access_token;
	const { items, next_cursor } = await list(website);
	expect(next_cursor).toBeNull();
	expect(items).toHaveLength(3);
	expect(items.find(({ id }) => id === sid(website))).toEqual({
		id: sid(website),
		browser_session_id: expect.any(String),
		client_id: "cafe-website",
		client_name: "Café website",
		tenant_id: firm.tenantId,
		tenant_slug: firm.slug,
		signed_in_at: expect.any(String),
		last_used_at: expect.any(String),
		expires_at: expect.any(String),
		is_current: true,
		device: "unknown",
		place: null,
		is_this_device: true,
	});
	expect(items.filter(({ is_current }) => is_current)).toHaveLength(1);
	// The sign-in pages and the website on this browser; the first one is a program's.
	expect(items.filter(({ is_this_device }) => is_this_device)).toHaveLength(2);
});

test("a session names the browser and the system of its sign-in", async () => {
	const firm = await office.found();
	const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
	const body = { email: firm.email, password, tenant_slug: "" };
	const headers = { "user-agent": userAgent };
	const answer = await office.call("POST", "/api/v1/auth/login", { body, headers });
	const { items } = await list(answer.json().access_token);
	expect(items.find(({ is_current }) => is_current)).toMatchObject({ device: "Firefox, Windows" });
});

test("live sessions are listed in pages, each once", async () => {
	const firm = await office.found();
	const ended = await office.tokenOf(firm.email);
	await office.call("POST", "/api/v1/auth/logout", { token: ended });
	for (let count = 0; count < 3; count += 1) await office.tokenOf(firm.email);
	const seen: unknown[] = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const page: Listed = await list(firm.token, `?limit=1${cursor && `&cursor=${cursor}`}`);
		seen.push(...page.items.map(({ id }) => id));
		cursor = page.next_cursor;
	}
	expect(new Set(seen).size).toBe(4);
	expect(seen).toContain(sid(firm.token));
	expect(seen).not.toContain(sid(ended));
});

test("a person ends one of their sessions; the others go on", async () => {
	const firm = await office.found();
	const [lost, kept] = [await office.tokenOf(firm.email), await office.tokenOf(firm.email)];
	expect((await end(firm.token, sid(lost))).statusCode).toBe(204);
	expect([await me(lost), await me(kept), await me(firm.token)]).toEqual([401, 200, 200]);
	expect(await office.events("auth.session.revoked", String(sid(lost)))).toMatchObject([
		{ data: { because: "ended_by_user" } },
	]);
	expect(codeOf(await end(firm.token, sid(lost)))).toEqual([404, "session_not_found"]);
	const [row] = await office.audit(firm.slug, firm.token);
	expect(row).toMatchObject({ action: "session.ended", subject: sid(lost), actor_user_id: firm.userId });
});

test("a user ends a browser session with all its client sessions", async () => {
	const firm = await office.found();
	const browser = openBrowser(signOn.app);
	const first = (await browser.signIn(firm.email)).json().access_token;
	const website = (await tradeCode(signOn.app, await obtainCode(browser))).json().access_token;
	expect((await end(firm.token, sid(website), "?browser=true")).statusCode).toBe(204);
	expect([await me(first), await me(website), await me(firm.token)]).toEqual([401, 401, 200]);
	await expect(obtainCode(browser)).rejects.toThrow(/login/);
});

test("a user ends all other sessions in every browser and tenant, and the current one stays", async () => {
	const firm = await office.found();
	const other = await office.found();
	const browser = openBrowser(signOn.app);
	const first = (await browser.signIn(firm.email)).json().access_token;
	const website = (await tradeCode(signOn.app, await obtainCode(browser))).json().access_token;
	const ended = await office.call("DELETE", "/api/v1/auth/sessions", { token: firm.token });
	expect(ended.statusCode).toBe(204);
	expect([await me(first), await me(website)]).toEqual([401, 401]);
	expect([await me(firm.token), await me(other.token)]).toEqual([200, 200]);
	expect((await list(firm.token)).items.map(({ id }) => id)).toEqual([sid(firm.token)]);
	await expect(obtainCode(browser)).rejects.toThrow(/login/);
	expect(await office.events("auth.session.revoked", String(sid(website)))).toMatchObject([
		{ data: { because: "ended_by_user" } },
	]);
	const [row] = await office.audit(firm.slug, firm.token);
	expect(row).toMatchObject({ action: "sessions.ended", subject: firm.userId, actor_user_id: firm.userId });
});

test("one's own current session may be ended, too", async () => {
	const firm = await office.found();
	expect((await end(firm.token, sid(firm.token))).statusCode).toBe(204);
	expect(await me(firm.token)).toBe(401);
});

test("another person's session is not found, in the same tenant or another", async () => {
	const firm = await office.found();
	const stranger = await office.found();
	const colleague = await office.tokenOf((await office.join(firm.slug)).email);
	for (const token of [stranger.token, colleague]) {
		expect(codeOf(await end(firm.token, sid(token)))).toEqual([404, "session_not_found"]);
		expect(await me(token)).toBe(200);
	}
});

test("listing and ending sessions requires a live session", async () => {
	const firm = await office.found();
	await office.call("POST", "/api/v1/auth/logout", { token: firm.token });
	expect(codeOf(await office.call("GET", "/api/v1/auth/sessions", { token: firm.token }))).toEqual([
		401,
		"session_ended",
	]);
	expect(codeOf(await end(firm.token, sid(firm.token)))).toEqual([401, "session_ended"]);
	expect((await office.call("GET", "/api/v1/auth/sessions")).statusCode).toBe(401);
});
