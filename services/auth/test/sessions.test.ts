import { testSubscription } from "@lango/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
	authorizeUrl,
	backend,
	bearer,
	claimsOf,
	form,
	location,
	obtainCode,
	obtainTokens,
	openBrowser,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

const signOn = setUpSignOn();

const select = (ssoExchangeToken: string, outletId: string) =>
	signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/select-outlet",
		payload: { ssoExchangeToken, outletId },
	});

const outlet = async (slug: string, code: string) => (await signOn.outletsOf(slug))[code] ?? "";

test("auth/me returns identity, roles, permissions and tenants", async () => {
	const { access_token } = await obtainTokens(signOn.app, "admin@uhai.example");
	const response = await signOn.me(access_token);
	expect(response.statusCode).toBe(200);
	const uhai = signOn.tenants.get("uhai");
	expect(response.json()).toEqual({
		user_id: claimsOf(access_token).sub,
		email: "admin@uhai.example",
		email_verified: true,
		name: "Asha Mwangi",
		status: "active",
		roles: ["admin"],
		permissions: claimsOf(access_token).permissions,
		tenant_id: uhai,
		tenant_slug: "uhai",
		primary_tenant_id: uhai,
		is_platform_owner: false,
		outlet_id: "",
		is_hq_user: true,
		outlet_scope: "all",
		memberships: [
			{ tenant_id: uhai, slug: "uhai", name: "Uhai Hospital", roles: ["admin"], status: "active" },
		],
		profile: { selected_plan: null, locale: null, theme: null },
	});
});

test("the superuser of the platform's own tenant is the platform owner, and has no subscription claims", async () => {
	const { access_token } = await obtainTokens(signOn.app, "root@lango.example");
	expect((await signOn.me(access_token)).json()).toMatchObject({
		is_platform_owner: true,
		roles: ["superuser"],
		tenant_slug: "lango",
	});
	expect(claimsOf(access_token)).not.toHaveProperty("sub_status");
});

test.each([
	["no token", {}],
	["another scheme", { authorization: "Basic abc" }],
	["garbage", { authorization: "Bearer garbage" }],
])("auth/me refuses %s with 401", async (_what, headers) => {
	const response = await signOn.app.inject({ method: "GET", url: "/api/v1/auth/me", headers });
	expect(response.statusCode).toBe(401);
	expect(response.headers["www-authenticate"]).toContain("Bearer");
	expect(response.json()).toMatchObject({ code: "token_invalid" });
});

test("auth/me refuses a token past its six hours", async () => {
	const { access_token } = await obtainTokens(signOn.app, "admin@uhai.example");
	signOn.now.forward(6 * 3_600 + 61);
	expect((await signOn.me(access_token)).statusCode).toBe(401);
});

test("one active outlet gives its claims at once, and the session keeps it", async () => {
	const tokens = await obtainTokens(signOn.app, "pharm@uhai.example");
	const id = await outlet("uhai", "PHARM");
	expect(tokens).not.toHaveProperty("requiresOutletSelection");
	expect(claimsOf(tokens.access_token)).toMatchObject({
		outlet_id: id,
		outlet_code: "PHARM",
		outlet_use_case: "pharmacy",
		is_hq_user: false,
	});
	expect((await signOn.me(tokens.access_token)).json()).toMatchObject({ outlet_id: id, is_hq_user: false });
});

test("several outlets require a selection; the final tokens of the same session contain it, also after a refresh", async () => {
	const tokens = await obtainTokens(signOn.app, "nurse@uhai.example");
	expect(tokens.requiresOutletSelection).toBe(true);
	expect(claimsOf(tokens.access_token)).toMatchObject({ outlet_id: "", outlet_code: "" });
	const id = await outlet("uhai", "WARD");
	const response = await select(tokens.ssoExchangeToken ?? "", id);
	expect(response.statusCode).toBe(200);
	const final = response.json();
	expect(final).not.toHaveProperty("requiresOutletSelection");
	expect(claimsOf(final.access_token)).toMatchObject({
		outlet_id: id,
		outlet_code: "WARD",
		sid: claimsOf(tokens.access_token).sid,
	});
	const next = await signOn.refresh(final.refresh_token);
	expect(claimsOf(next.json().access_token)).toMatchObject({ outlet_id: id });
});

test("an exchange token is valid once and for five minutes", async () => {
	const id = await outlet("uhai", "WARD");
	const used = await obtainTokens(signOn.app, "nurse@uhai.example");
	await select(used.ssoExchangeToken ?? "", id);
	expect((await select(used.ssoExchangeToken ?? "", id)).statusCode).toBe(401);
	const late = await obtainTokens(signOn.app, "nurse@uhai.example");
	signOn.now.forward(300);
	const response = await select(late.ssoExchangeToken ?? "", id);
	expect(response.statusCode).toBe(401);
	expect(response.json().code).toBe("exchange_token_invalid");
});

test("while a tenant is suspended an outlet cannot be selected in it, and its tokens are not active", async () => {
	const { ssoExchangeToken = "", access_token } = await obtainTokens(signOn.app, "nurse@uhai.example");
	const introspect = async () =>
		(
			await signOn.app.inject({
				method: "POST",
				url: "/api/v1/introspect",
				headers: form,
				payload: new URLSearchParams({ token: access_token, ...backend }).toString(),
			})
		).json();
	expect(await introspect()).toMatchObject({ active: true });
	await signOn.db.query("update tenants set status = 'suspended' where slug = 'uhai'");
	const response = await select(ssoExchangeToken, await outlet("uhai", "WARD"));
	expect([response.statusCode, response.json().code]).toEqual([401, "exchange_token_invalid"]);
	expect(await introspect()).toEqual({ active: false });
	await signOn.db.query("update tenants set status = 'active' where slug = 'uhai'");
});

test("an outlet that is not the person's is refused", async () => {
	for (const id of [await outlet("uhai", "HQ"), await outlet("kahawa", "MAIN")]) {
		const { ssoExchangeToken = "" } = await obtainTokens(signOn.app, "nurse@uhai.example");
		const response = await select(ssoExchangeToken, id);
		expect(response.statusCode).toBe(403);
		expect(response.json().code).toBe("outlet_forbidden");
	}
});

test("a one-time value of one kind is refused as another", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("nurse@uhai.example");
	const { code, verifier } = await obtainCode(browser);
	expect((await select(code, await outlet("uhai", "WARD"))).statusCode).toBe(401);
	const { ssoExchangeToken = "" } = (await tradeCode(signOn.app, { code, verifier })).json();
	expect((await tradeCode(signOn.app, { code: ssoExchangeToken, verifier })).json()).toMatchObject({
		error: "invalid_grant",
	});
});

test("an archived outlet cannot be selected, and a single remaining one is selected by itself", async () => {
	const { inTenant } = await import("@lango/postgres");
	const change = (status: string) =>
		inTenant(signOn.db, signOn.tenants.get("uhai") ?? "", (tx) =>
			tx.query("update outlets set status = $1 where code = 'WARD'", [status]),
		);
	await change("archived");
	const tokens = await obtainTokens(signOn.app, "nurse@uhai.example");
	expect(claimsOf(tokens.access_token)).toMatchObject({ outlet_code: "PHARM" });
	await change("active");
});

test("signing a client out revokes its session and leaves the others of the person", async () => {
	const here = await obtainTokens(signOn.app, "admin@uhai.example");
	const elsewhere = await obtainTokens(signOn.app, "admin@uhai.example");
	const response = await signOn.app.inject({
		method: "POST",
		url: "/api/v1/auth/logout",
		headers: bearer(here.access_token),
	});
	expect(response.json()).toEqual({ revoked: true });
	expect((await signOn.me(here.access_token)).statusCode).toBe(401);
	expect((await signOn.me(elsewhere.access_token)).statusCode).toBe(200);
	const refreshed = await signOn.refresh(here.refresh_token);
	expect(refreshed.json()).toMatchObject({ error: "invalid_grant" });
});

test("ending the browser session clears its cookie and ends its client sessions", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const tokens = (await tradeCode(signOn.app, await obtainCode(browser))).json();
	const response = await browser.get("/api/v1/auth/logout");
	expect(location(response).toString()).toBe("http://localhost:3000/login");
	expect(browser.cookie).toBeUndefined();
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(401);
	expect(location(await browser.get(authorizeUrl())).pathname).toBe("/login");
});

test("signing out clears the cookie and goes to an allow-listed address, else to the sign-in page", async () => {
	const to = async (uri: string) => {
		const browser = openBrowser(signOn.app);
		await browser.signIn("admin@uhai.example");
		const path = `/api/v1/auth/logout?post_logout_redirect_uri=${encodeURIComponent(uri)}`;
		const response = await browser.get(path);
		expect([response.statusCode, browser.cookie]).toEqual([303, undefined]);
		expect(location(await browser.get(authorizeUrl())).pathname).toBe("/login");
		return location(response).toString();
	};
	expect(await to("http://localhost:3001/bye")).toBe("http://localhost:3001/bye");
	for (const uri of [
		"https://evil.example",
		"http://localhost:3001@evil.example/",
		"//evil.example",
		"javascript:alert(1)",
		"http://localhost:3001.evil.example/",
		"\\\\evil.example",
		"http://localhost:9999/",
	])
		expect(await to(uri), uri).toBe("http://localhost:3000/login");
});

test("two tabs in two tenants do not mix: each session keeps its own tenant", async () => {
	const { inTenant } = await import("@lango/postgres");
	const [user] = await signOn.db.query<{ id: string }>(
		"select id from users where email = 'admin@uhai.example'",
	);
	const kahawa = signOn.tenants.get("kahawa") ?? "";
	await inTenant(signOn.db, kahawa, (tx) =>
		tx.query("insert into memberships (tenant_id, user_id, roles) values ($1, $2, '{viewer}')", [
			kahawa,
			user?.id,
		]),
	);
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const one = (await tradeCode(signOn.app, await obtainCode(browser, { tenant: "uhai" }))).json();
	const two = (await tradeCode(signOn.app, await obtainCode(browser, { tenant: "kahawa" }))).json();
	expect(claimsOf(one.access_token)).toMatchObject({ tenant_slug: "uhai", roles: ["admin"] });
	expect(claimsOf(two.access_token)).toMatchObject({ tenant_slug: "kahawa", roles: ["viewer"] });
	const again = await signOn.refresh(one.refresh_token);
	expect(claimsOf(again.json().access_token)).toMatchObject({ tenant_slug: "uhai" });
});

test("a pending user gets a token without roles and with their status", async () => {
	await signOn.db.query("update users set status = 'pending_review' where email = 'pharm@uhai.example'");
	const { access_token } = await obtainTokens(signOn.app, "pharm@uhai.example");
	expect(claimsOf(access_token)).toMatchObject({ roles: [], permissions: [], user_status: "pending_review" });
	expect((await signOn.me(access_token)).json()).toMatchObject({ status: "pending_review", roles: [] });
	await signOn.db.query("update users set status = 'active' where email = 'pharm@uhai.example'");
});

describe("a sign-in and the subscription service", () => {
	const kahawa = () => signOn.tenants.get("kahawa") ?? "";
	const has = (plan: string) =>
		signOn.subscriptions.answers.set(kahawa(), testSubscription(kahawa(), { plan }));
	const planOf = async () =>
		claimsOf((await obtainTokens(signOn.app, "cashier@kahawa.example")).access_token).sub_plan;
	beforeEach(async () => {
		signOn.now.forward(61);
		has("STARTER");
		expect(await planOf()).toBe("STARTER");
		has("GROWTH");
		signOn.now.forward(60);
	});
	afterEach(() => {
		signOn.subscriptions.delayMs = 0;
		delete signOn.subscriptions.brokenWith;
	});

	test("it waits for an answer that comes within 300 ms", async () => {
		signOn.subscriptions.delayMs = 100;
		expect(await planOf()).toBe("GROWTH");
	});

	test("it waits at most 300 ms and then uses the cached answer; for a second no other sign-in waits", async () => {
		signOn.subscriptions.delayMs = 3_000;
		const before = performance.now();
		expect(await planOf()).toBe("STARTER");
		const tookMs = performance.now() - before;
		expect(tookMs).toBeGreaterThanOrEqual(295);
		expect(tookMs).toBeLessThan(2_500);
		const { asked } = signOn.subscriptions;
		expect(await planOf()).toBe("STARTER");
		expect(signOn.subscriptions.asked).toBe(asked);
		signOn.subscriptions.delayMs = 0;
		signOn.now.forward(1);
		expect(await planOf()).toBe("GROWTH");
	});

	test("while its answers are invalid the cached one is used for 15 minutes; then the claims are omitted", async () => {
		signOn.subscriptions.brokenWith = 503;
		signOn.now.forward(14 * 60 - 1);
		expect(await planOf()).toBe("STARTER");
		signOn.now.forward(1);
		expect(await planOf()).toBeUndefined();
		delete signOn.subscriptions.brokenWith;
		signOn.now.forward(1);
		expect(await planOf()).toBe("GROWTH");
	});
});

test.each([
	["a picture", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
	["a frame", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
	["a script's request", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
	["a picture of a browser that sends no mode", { "sec-fetch-dest": "image" }],
])("%s does not sign the browser out, a navigation does", async (_what, headers) => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const { access_token } = (await tradeCode(signOn.app, await obtainCode(browser))).json();
	const cookie = browser.cookie ?? "";
	const open = (url: string, more: object) =>
		signOn.app.inject({ method: "GET", url, headers: { cookie, ...more } });
	const refused = await open("/api/v1/auth/logout", headers);
	expect([refused.statusCode, refused.json().code]).toEqual([403, "not_a_navigation"]);
	expect(refused.cookies).toEqual([]);
	expect((await signOn.me(access_token)).statusCode).toBe(200);
	const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
	expect((await open("/api/v1/auth/logout", navigation)).statusCode).toBe(303);
	expect((await signOn.me(access_token)).statusCode).toBe(401);
});
