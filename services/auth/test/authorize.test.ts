import { inTenant } from "@lango/postgres";
import { beforeAll, expect, test } from "vitest";
import {
	authorizeUrl,
	type Browser,
	claimsOf,
	issuer,
	location,
	obtainCode,
	openBrowser,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

const signOn = setUpSignOn();
let browser: Browser;
beforeAll(async () => {
	browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
});

test("without a session the browser goes to the sign-in page with return_to and tenant, and nothing else", async () => {
	const url = authorizeUrl({ tenant: "uhai" });
	const to = location(await openBrowser(signOn.app).get(url));
	expect(`${to.origin}${to.pathname}`).toBe("http://localhost:3000/login");
	expect([...to.searchParams.keys()]).toEqual(["return_to", "tenant"]);
	expect(to.searchParams.get("tenant")).toBe("uhai");
	const back = new URL(to.searchParams.get("return_to") ?? "");
	expect(back.origin).toBe(issuer);
	expect([...back.searchParams].sort()).toEqual([...new URL(url, issuer).searchParams].sort());
});

test("with a session the browser goes back with code, state and iss (RFC 9207)", async () => {
	const response = await browser.get(authorizeUrl({ state: "xyz" }));
	expect(response.statusCode).toBe(303);
	const to = location(response);
	expect(`${to.origin}${to.pathname}`).toBe("http://localhost:3002/auth/callback");
	expect(to.searchParams.get("code")).toMatch(/^[\w-]{43}\.k1\.[\w-]{22}$/);
	expect(to.searchParams.get("state")).toBe("xyz");
	expect(to.searchParams.get("iss")).toBe(issuer);
	expect(response.headers["cache-control"]).toBe("no-store");
});

test.each([
	["an unknown client", { client_id: "unknown-client" }],
	["no client", { client_id: undefined }],
	["an unregistered redirect address", { redirect_uri: "http://localhost:3002/other" }],
	[
		"a redirect address that only begins like a registered one",
		{ redirect_uri: "http://localhost:3002/auth/callback.evil.example" },
	],
	["no redirect address", { redirect_uri: undefined }],
])("%s is shown on a page, without a redirect", async (_what, parameters) => {
	const response = await browser.get(authorizeUrl(parameters));
	expect(response.statusCode).toBe(400);
	expect(response.headers.location).toBeUndefined();
	expect(response.headers["content-type"]).toContain("text/html");
	expect(response.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
	expect(response.body).toContain("invalid_request");
});

test("the error page contains no input of the caller", async () => {
	const response = await browser.get(authorizeUrl({ client_id: "<script>alert(1)</script>" }));
	expect(response.body).not.toContain("<script>");
});

test.each([
	[
		"no challenge from a public client",
		{ code_challenge: undefined, code_challenge_method: undefined },
		"invalid_request",
	],
	["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
	["a challenge without its method", { code_challenge_method: undefined }, "invalid_request"],
	["a challenge that is not a SHA-256 value", { code_challenge: "short" }, "invalid_request"],
	["another response type", { response_type: "token" }, "unsupported_response_type"],
	["no response type", { response_type: undefined }, "invalid_request"],
	["a request object", { request: "eyJ" }, "request_not_supported"],
	["a request object by reference", { request_uri: "https://x.example" }, "request_uri_not_supported"],
	["answers in the fragment", { response_mode: "fragment" }, "invalid_request"],
	["a tenant the person does not belong to", { tenant: "kahawa" }, "access_denied"],
	["a tenant that does not exist", { tenant: "nowhere" }, "access_denied"],
])("%s is returned to the client with state and iss", async (_what, parameters, error) => {
	const to = location(await browser.get(authorizeUrl(parameters)));
	expect(`${to.origin}${to.pathname}`).toBe("http://localhost:3002/auth/callback");
	expect(to.searchParams.get("error")).toBe(error);
	expect(to.searchParams.get("state")).toBe("s-1");
	expect(to.searchParams.get("iss")).toBe(issuer);
	expect(to.searchParams.has("code")).toBe(false);
});

test("a parameter given twice is refused", async () => {
	const to = location(await browser.get(`${authorizeUrl()}&nonce=n-2`));
	expect(to.searchParams.get("error")).toBe("invalid_request");
	expect(to.searchParams.get("error_description")).toContain("nonce");
});

test("unknown parameters and repeated scopes are accepted", async () => {
	const to = location(
		await browser.get(authorizeUrl({ access_type: "offline", scope: "openid openid email unknown" })),
	);
	expect(to.searchParams.has("code")).toBe(true);
});

test("prompt=none without a session answers login_required", async () => {
	const to = location(await openBrowser(signOn.app).get(authorizeUrl({ prompt: "none" })));
	expect(to.searchParams.get("error")).toBe("login_required");
});

test("the query an address was registered with stays as it is, and the answer comes after it", async () => {
	const registered = [
		"https://native.example/cb?a=%2f+%20b&c",
		"https://native.example/cb?",
		"https://native.example/cb",
		"http://127.0.0.1/cb?x=%e9",
	];
	await signOn.db.query(
		"insert into clients (client_id, name, redirect_uris, scopes, public) values ('native', 'Native', $1, '{openid}', true)",
		[registered],
	);
	const at = async (redirect_uri: string) =>
		String(
			(await browser.get(authorizeUrl({ client_id: "native", scope: "openid", redirect_uri }))).headers
				.location,
		);
	expect(await at("https://native.example/cb?a=%2f+%20b&c")).toMatch(
		/^https:\/\/native\.example\/cb\?a=%2f\+%20b&c&code=[\w-]{43}\.k1\.[\w-]{22}&state=s-1&iss=http%3A/,
	);
	expect(await at("https://native.example/cb?")).toMatch(/^https:\/\/native\.example\/cb\?code=/);
	expect(await at("https://native.example/cb")).toMatch(/^https:\/\/native\.example\/cb\?code=/);
	expect(await at("http://127.0.0.1:49152/cb?x=%e9")).toMatch(
		/^http:\/\/127\.0\.0\.1:49152\/cb\?x=%e9&code=/,
	);
});

test("a confidential client is sent back to the port it registered and to no other", async () => {
	await signOn.db.query(
		`insert into clients (client_id, name, redirect_uris, scopes, public, secret_hash) values
		   ('server', 'Server', '{http://127.0.0.1/cb,http://localhost:7000/cb}', '{openid}', false, $1)`,
		[Buffer.alloc(32)],
	);
	const at = (redirect_uri: string) =>
		browser.get(authorizeUrl({ client_id: "server", scope: "openid", redirect_uri }));
	for (const exact of ["http://127.0.0.1/cb", "http://localhost:7000/cb"])
		expect(location(await at(exact)).searchParams.has("code"), exact).toBe(true);
	for (const other of ["http://127.0.0.1:49152/cb", "http://localhost:7001/cb"])
		expect((await at(other)).statusCode, other).toBe(400);
});

test("a tenant in the callback's path must exist, and be the one asked for", async () => {
	const at = (slug: string, more = {}) =>
		browser.get(
			authorizeUrl({
				client_id: "pos-ui",
				redirect_uri: `http://localhost:3013/${slug}/auth/callback`,
				...more,
			}),
		);
	expect(location(await at("uhai")).searchParams.has("code")).toBe(true);
	expect((await at("nowhere")).statusCode).toBe(400);
	expect((await at("uhai", { tenant: "kahawa" })).statusCode).toBe(400);
	expect((await at("uhai/evil")).statusCode).toBe(400);
	expect((await at("{tenant}")).statusCode).toBe(400);
});

test("without tenant, a code is issued for the tenant in the redirect path and never for another", async () => {
	const member = openBrowser(signOn.app);
	await member.signIn("owner@duka.example");
	const atTenant = (slug: string) => ({
		client_id: "pos-ui",
		redirect_uri: `http://localhost:3013/${slug}/auth/callback`,
	});
	const refused = location(await member.get(authorizeUrl(atTenant("kahawa"))));
	expect([refused.searchParams.get("error"), refused.searchParams.has("code")]).toEqual([
		"access_denied",
		false,
	]);
	await inTenant(signOn.db, signOn.tenants.get("kahawa") ?? "", (tx) =>
		tx.query(
			`insert into memberships (tenant_id, user_id, roles)
			 select $1, id, '{member}' from users where email = 'owner@duka.example' on conflict do nothing`,
			[signOn.tenants.get("kahawa")],
		),
	);
	for (const slug of ["kahawa", "duka"]) {
		const obtained = await obtainCode(member, atTenant(slug));
		const tokens = (await tradeCode(signOn.app, obtained, atTenant(slug))).json();
		expect(claimsOf(tokens.access_token).tenant_slug).toBe(slug);
	}
	const signIn = location(await openBrowser(signOn.app).get(authorizeUrl(atTenant("kahawa"))));
	expect(signIn.searchParams.get("tenant")).toBe("kahawa");
});

test("the same request by POST is answered alike", async () => {
	const response = await signOn.app.inject({
		method: "POST",
		url: "/api/v1/authorize",
		payload: authorizeUrl().split("?")[1] ?? "",
		headers: { "content-type": "application/x-www-form-urlencoded", cookie: browser.cookie ?? "" },
	});
	expect(location(response).searchParams.has("code")).toBe(true);
});

test.each([
	["prompt=login", { prompt: "login" }],
	["a max_age that has passed", { max_age: "0", prompt: "none" }],
	["claims that require another person", { claims: '{"id_token":{"sub":{"value":"somebody-else"}}}' }],
	["a tenant that the person does not belong to", { tenant: "kahawa" }],
])("no code is recorded for %s", async (_what, parameters) => {
	const countCodes = async () => {
		const tenants = [...signOn.tenants.values()];
		const counts = tenants.map((id) =>
			inTenant(signOn.db, id, (tx) => tx.query("select 1 from authorization_codes")),
		);
		return (await Promise.all(counts)).flat().length;
	};
	await obtainCode(browser);
	const before = await countCodes();
	expect(before).toBeGreaterThan(0);
	expect(location(await browser.get(authorizeUrl(parameters))).searchParams.has("code")).toBe(false);
	expect(await countCodes()).toBe(before);
});

test("a browser session ends after twelve hours without use", async () => {
	const mine = openBrowser(signOn.app);
	await mine.signIn("admin@uhai.example");
	signOn.now.forward(11 * 3_600);
	expect(location(await mine.get(authorizeUrl())).searchParams.has("code")).toBe(true);
	signOn.now.forward(11 * 3_600);
	expect(location(await mine.get(authorizeUrl())).searchParams.has("code")).toBe(true);
	signOn.now.forward(12 * 3_600 + 1);
	expect(location(await mine.get(authorizeUrl())).pathname).toBe("/login");
});

test("a browser session ends after fourteen days even if it is used, and its cookie expires with it", async () => {
	const mine = openBrowser(signOn.app);
	const signedIn = await mine.signIn("admin@uhai.example");
	const cookie = signedIn.cookies.find(({ name }) => name === "lango");
	expect(cookie?.maxAge).toBe(14 * 86_400);
	const hasCode = async () => {
		const response = await mine.get(authorizeUrl());
		expect(response.cookies, "use makes the cookie no younger").toEqual([]);
		return location(response).searchParams.has("code");
	};
	for (let hours = 0; hours < 14 * 24 - 8; hours += 8) {
		signOn.now.forward(8 * 3_600);
		expect(await hasCode()).toBe(true);
	}
	signOn.now.forward(8 * 3_600 - 1);
	expect(await hasCode()).toBe(true);
	signOn.now.forward(1);
	expect(location(await mine.get(authorizeUrl())).pathname).toBe("/login");
});

test.each(["/api/v1/auth/oidc/authorize", "/api/v1/auth/oidc/token"])("%s does not exist", async (url) => {
	for (const method of ["GET", "POST"] as const)
		expect((await signOn.app.inject({ method, url })).statusCode).toBe(404);
});
