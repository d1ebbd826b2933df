import { inTenant } from "@lango/postgres";
import { expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { claimsOf, codeOf, obtainCode, openBrowser, setUpSignOn, tradeCode } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);
const page = "http://localhost:3001";

type Asked = {
	cookie?: string | undefined;
	origin?: string;
	client_id?: string;
	tenant?: string;
	session_id?: string;
};
const resume = ({ cookie, origin = page, client_id = "console-ui", tenant = "", session_id }: Asked) =>
	signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/resume",
		headers: {
			...(cookie !== undefined && { cookie }),
			...(origin !== "" && { origin }),
			"content-type": "application/x-www-form-urlencoded",
		},
		payload: new URLSearchParams({ client_id, tenant, ...(session_id && { session_id }) }).toString(),
	});
const signIn = async (email: string) => {
	const browser = openBrowser(signOn.app);
	await browser.signIn(email);
	return browser;
};
const countSessions = async ({ userId, tenantId }: { userId: string; tenantId: string }) => {
	const [row] = await inTenant(signOn.db, tenantId, (tx) =>
		tx.query<{ count: number }>("select count(*)::int as count from sessions where user_id = $1", [userId]),
	);
	return row?.count;
};

test("a page that is loaded again continues its session: no further one is made, and it has no refresh token", async () => {
	const firm = await office.found();
	const { cookie } = await signIn(firm.email);
	const before = (await countSessions(firm)) ?? 0;
	const answers = await Promise.all([1, 2, 3].map(() => resume({ cookie })));
	signOn.now.forward(3_600);
	answers.push(await resume({ cookie, tenant: firm.slug }));
	expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
	const tokens = answers.map((answer) => answer.json<{ access_token: string; refresh_token?: string }>());
	expect(new Set(tokens.map(({ access_token }) => claimsOf(access_token).sid)).size).toBe(1);
	expect(tokens.map(({ refresh_token }) => refresh_token)).toEqual(Array(4).fill(undefined));
	expect(await countSessions(firm)).toBe(before + 1);
	expect((await signOn.me(tokens[3]?.access_token ?? "")).statusCode).toBe(200);
});

test("the session of a code is continued, with its outlet", async () => {
	const firm = await office.found();
	const browser = await signIn(firm.email);
	const parameters = { client_id: "console-ui", redirect_uri: `${page}/auth/callback` };
	const opened = (await tradeCode(signOn.app, await obtainCode(browser, parameters), parameters)).json();
	const resumed = (await resume(browser)).json();
	const claims = [opened, resumed].map(({ access_token }) => claimsOf(access_token));
	expect(claims[1]?.sid).toBe(claims[0]?.sid);
	expect(claims[1]?.outlet_id).toBe(claims[0]?.outlet_id);
	expect(resumed.scope.split(" ")).toContain("lango.api");
});

test("an application that is opened later begins at the outlet that the person selected on the browser, if it is still theirs", async () => {
	const outlets = await signOn.outletsOf("uhai");
	const accounts = { origin: "http://localhost:3000", client_id: "auth-ui" };
	const select = async (ssoExchangeToken: string, outletId: string | undefined) => {
		const payload = { ssoExchangeToken, outletId };
		const answer = await signOn.app.inject({ method: "POST", url: "/api/v1/auth/select-outlet", payload });
		expect(answer.statusCode).toBe(200);
	};
	const [first, second] = [await signIn("nurse@uhai.example"), await signIn("nurse@uhai.example")];
	for (const { cookie } of [first, second])
		await select((await resume({ cookie, ...accounts })).json().ssoExchangeToken, outlets.WARD);
	const opened = (await resume(first)).json();
	expect(claimsOf(opened.access_token)).toMatchObject({ outlet_id: outlets.WARD });
	expect(opened).not.toHaveProperty("requiresOutletSelection");
	expect(opened.me).toEqual((await signOn.me(opened.access_token)).json());

	const token = await office.tokenOf("admin@uhai.example");
	const url = `/api/v1/tenants/uhai/members/${opened.me.user_id}/outlets`;
	const body = { outlet_ids: [outlets.PHARM, outlets.HQ], is_hq: false };
	expect((await office.call("PUT", url, { token, body })).statusCode).toBe(204);
	const later = (await resume(second)).json();
	expect(later.requiresOutletSelection).toBe(true);
	expect(claimsOf(later.access_token).outlet_id).toBe("");
});

test("a page that comes back from a sign-in without a refresh token continues the session of the browser", async () => {
	const firm = await office.found();
	const browser = await signIn(firm.email);
	const { access_token: first } = (await resume(browser)).json();
	const parameters = { client_id: "console-ui", redirect_uri: `${page}/auth/callback` };
	const scope = "openid profile email lango.api";
	const before = await countSessions(firm);
	const code = await obtainCode(browser, { ...parameters, scope });
	const again = (await tradeCode(signOn.app, code, parameters)).json();
	expect(claimsOf(again.access_token).sid).toBe(claimsOf(first).sid);
	expect(again).not.toHaveProperty("refresh_token");
	expect(await countSessions(firm)).toBe(before);
	// A code that is used twice ends the session that it led to.
	expect((await tradeCode(signOn.app, code, parameters)).statusCode).toBe(400);
	expect((await signOn.me(first)).statusCode).toBe(401);
});

test("a person who signs in again on the same browser renews its session, and the sessions of applications go on", async () => {
	const firm = await office.found();
	const browser = await signIn(firm.email);
	const { access_token: ofConsole } = (await resume(browser)).json();
	const formerCookie = browser.cookie;
	signOn.now.forward(13 * 3_600);
	expect((await resume(browser)).statusCode).toBe(204);
	await browser.signIn(firm.email);
	expect((await resume({ cookie: formerCookie })).statusCode).toBe(204);
	const again = (await resume(browser)).json();
	expect(claimsOf(again.access_token).sid).toBe(claimsOf(ofConsole).sid);
	const list = await office.call("GET", "/api/v1/auth/sessions", { token: again.access_token });
	const here = list.json().items.filter(({ is_this_device }: { is_this_device: boolean }) => is_this_device);
	expect(here.map(({ client_id }: { client_id: string }) => client_id).toSorted()).toEqual([
		"auth-ui",
		"console-ui",
	]);
});

test("a sign-in of another person on the browser takes over no session", async () => {
	const [firm, other] = [await office.found(), await office.found()];
	const browser = await signIn(firm.email);
	const { access_token: first } = (await resume(browser)).json();
	await browser.signIn(other.email);
	const { access_token: second } = (await resume(browser)).json();
	expect(claimsOf(second)).toMatchObject({ sub: other.userId });
	expect(claimsOf(second).sid).not.toBe(claimsOf(first).sid);
});

test("the last use of a session follows the pages that continue it", async () => {
	const firm = await office.found();
	// The database records the start of a session by its own clock.
	signOn.now.at = new Date(Date.now() + 3_600_000);
	const { cookie } = await signIn(firm.email);
	const { access_token: token } = (await resume({ cookie })).json();
	signOn.now.forward(600);
	await resume({ cookie });
	const { items } = (await office.call("GET", "/api/v1/auth/sessions", { token })).json();
	const used = items.find(({ id }: { id: string }) => id === claimsOf(token).sid);
	expect(used.last_used_at).toBe(signOn.now.at.toISOString());
});

test("a page that is loaded gets the answer of auth/me along; a refresh does not", async () => {
	const firm = await office.found();
	const { cookie } = await signIn(firm.email);
	const { access_token: token, me } = (await resume({ cookie })).json();
	expect(me).toEqual((await signOn.me(token)).json());
	expect((await resume({ cookie, session_id: `${claimsOf(token).sid}` })).json()).not.toHaveProperty("me");
});

test("without a live session of the browser there are no tokens, and no error", async () => {
	const firm = await office.found();
	const browser = await signIn(firm.email);
	const cookies = [undefined, "lango=unknown"];
	for (const cookie of cookies) expect((await resume({ cookie })).statusCode).toBe(204);
	const { cookie } = browser;
	await browser.get("/api/v1/auth/logout");
	expect((await resume({ cookie })).statusCode).toBe(204);
});

test("a session that was ended does not come back as another one for the page that had it", async () => {
	const firm = await office.found();
	const { cookie } = await signIn(firm.email);
	const { access_token: token } = (await resume({ cookie })).json();
	const session_id = `${claimsOf(token).sid}`;
	expect((await resume({ cookie, session_id })).statusCode).toBe(200);
	await office.call("DELETE", `/api/v1/auth/sessions/${session_id}`, { token: firm.token });
	expect((await resume({ cookie, session_id })).statusCode).toBe(204);
});

test("a tenant of others is not entered by the cookie", async () => {
	const [firm, other] = [await office.found(), await office.found()];
	const { cookie } = await signIn(firm.email);
	expect((await resume({ cookie, tenant: other.slug })).statusCode).toBe(204);
	expect((await resume({ cookie, tenant: "nowhere" })).statusCode).toBe(204);
});

test.each([
	["a page of another client", { origin: "http://localhost:3000" }],
	["a page of an unknown origin", { origin: "https://evil.example" }],
	["a sandboxed page", { origin: "null" }],
	["a request without an origin", { origin: "" }],
	["a confidential client", { client_id: "cafe-backend" }],
	["an unknown client", { client_id: "nobody" }],
])("%s is refused, with a cookie too", async (_, asked) => {
	const firm = await office.found();
	const { cookie } = await signIn(firm.email);
	expect(codeOf(await resume({ cookie, ...asked }))).toEqual([403, "origin_forbidden"]);
});

test("a body that is not a form is refused", async () => {
	const answer = await signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/resume",
		headers: { origin: page },
		payload: { client_id: "console-ui" },
	});
	expect(answer.statusCode).toBe(400);
});
