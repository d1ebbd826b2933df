import { beforeAll, expect, test } from "vitest";
import {
	authorizeUrl,
	type Browser,
	bearer,
	claimsOf,
	location,
	obtainCode,
	obtainTokens,
	openBrowser,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

// what a client may ask of the sign-in (OpenID Connect Core §3.1.2.1)

const signOn = setUpSignOn();
let browser: Browser;
beforeAll(async () => {
	browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
});

const errorOf = (url: URL) => url.searchParams.get("error");
const returnTo = (response: Awaited<ReturnType<Browser["get"]>>) => {
	const back = new URL(location(response).searchParams.get("return_to") ?? "");
	return `${back.pathname}${back.search}`;
};

test.each(["login", "select_account"])("prompt=%s requires a new sign-in, and accepts it", async (prompt) => {
	const mine = openBrowser(signOn.app);
	await mine.signIn("admin@uhai.example");
	signOn.now.forward(5);
	const sent = await mine.get(authorizeUrl({ prompt }));
	expect(location(sent).pathname).toBe("/login");
	expect(location(await mine.get(returnTo(sent))).pathname).toBe("/login");
	signOn.now.forward(5);
	await mine.signIn("admin@uhai.example");
	expect(location(await mine.get(returnTo(sent))).searchParams.has("code")).toBe(true);
});

test("a forged mark is not accepted as a new sign-in", async () => {
	const made = `${signOn.now.at.getTime() - 1_000_000}.${"A".repeat(43)}`;
	expect(location(await browser.get(authorizeUrl({ prompt: "login", sign_in_mark: made }))).pathname).toBe(
		"/login",
	);
});

test("a mark of one request is not valid in another", async () => {
	const mine = openBrowser(signOn.app);
	const sent = await mine.get(authorizeUrl({ prompt: "login" }));
	const back = returnTo(sent);
	const mark = new URLSearchParams(back.split("?")[1]).get("sign_in_mark") ?? "";
	expect(mark).not.toBe("");
	await mine.signIn("admin@uhai.example");
	const changed = (name: string, value: string) => {
		const query = new URLSearchParams(back.split("?")[1]);
		query.set(name, value);
		return `/api/v1/authorize?${query}`;
	};
	signOn.now.forward(5);
	for (const [name, value] of [
		["state", "s-2"],
		["nonce", "n-2"],
		["code_challenge", "A".repeat(43)],
		["scope", "openid"],
		["tenant", "uhai"],
	])
		expect(location(await mine.get(changed(name ?? "", value ?? ""))).pathname, name).toBe("/login");
	const other = { client_id: "pos-ui", redirect_uri: "http://localhost:3013/uhai/auth/callback" };
	const elsewhere = authorizeUrl({ ...other, prompt: "login", sign_in_mark: mark });
	expect(location(await mine.get(elsewhere)).pathname).toBe("/login");
	expect(location(await mine.get(back)).searchParams.has("code")).toBe(true);
});

test("a marked request is returned unchanged: special characters, repeated values, and by POST", async () => {
	const mine = openBrowser(signOn.app);
	const odd = "a+b c&d=é🦁%zz/?#";
	const url = `${authorizeUrl({ prompt: "login", state: odd, empty: "" })}&twice=1&twice=2`;
	for (const method of ["GET", "POST"] as const) {
		const sent = await signOn.app.inject({
			method,
			url: method === "GET" ? url : "/api/v1/authorize",
			...(method === "POST" && {
				payload: url.split("?")[1] ?? "",
				headers: { "content-type": "application/x-www-form-urlencoded" },
			}),
		});
		await mine.signIn("admin@uhai.example");
		const to = location(await mine.get(returnTo(sent)));
		expect(to.searchParams.has("code"), method).toBe(true);
		expect(to.searchParams.get("state")).toBe(odd);
		signOn.now.forward(5);
	}
});

test("an older sign-in than max_age requires a new one, and the ID token contains its time", async () => {
	const mine = openBrowser(signOn.app);
	await mine.signIn("admin@uhai.example");
	const signedInAt = Math.floor(signOn.now.at.getTime() / 1_000);
	signOn.now.forward(100);
	expect(location(await mine.get(authorizeUrl({ max_age: "99" }))).pathname).toBe("/login");
	const tokens = (await tradeCode(signOn.app, await obtainCode(mine, { max_age: "1000" }))).json();
	expect(claimsOf(tokens.id_token).auth_time).toBe(signedInAt);
	const sent = await mine.get(authorizeUrl({ max_age: "0" }));
	await mine.signIn("admin@uhai.example");
	expect(location(await mine.get(returnTo(sent))).searchParams.has("code")).toBe(true);
});

test.each([
	[{ prompt: "none", max_age: "0" }, "login_required"],
	[{ prompt: "none login" }, "invalid_request"],
	[{ prompt: "none unknown" }, "invalid_request"],
	[{ max_age: "soon" }, "invalid_request"],
	[{ id_token_hint: "garbage" }, "invalid_request"],
	[{ claims: "no json" }, "invalid_request"],
	[{ claims: "[]" }, "invalid_request"],
	[{ resource: "https://elsewhere.example" }, "invalid_target"],
])("%j is answered with %s", async (parameters, error) => {
	signOn.now.forward(1);
	expect(errorOf(location(await browser.get(authorizeUrl(parameters as Record<string, string>))))).toBe(
		error,
	);
});

test.each([
	{ prompt: "consent" },
	{ login_hint: "admin@uhai.example" },
	{ acr_values: "1" },
	{ ui_locales: "sw en" },
	{ display: "popup" },
	{ prompt: "unknown" },
])("%j is taken", async (parameters) => {
	expect(
		location(await browser.get(authorizeUrl(parameters as Record<string, string>))).searchParams.has("code"),
	).toBe(true);
});

test("the sign-in page gets the ui_locales of the request in return_to", async () => {
	const sent = await openBrowser(signOn.app).get(authorizeUrl({ ui_locales: "sw en" }));
	const request = new URL(location(sent).searchParams.get("return_to") ?? "");
	expect([location(sent).pathname, request.searchParams.get("ui_locales")]).toEqual(["/login", "sw en"]);
});

test("a hint for the signed-in user is accepted, also an expired one; for another user it is not", async () => {
	const mine = await obtainTokens(signOn.app, "admin@uhai.example");
	const other = await obtainTokens(signOn.app, "owner@kahawa.example");
	signOn.now.forward(3_700);
	const ask = (id_token_hint: string) => browser.get(authorizeUrl({ prompt: "none", id_token_hint }));
	expect(location(await ask(mine.id_token)).searchParams.has("code")).toBe(true);
	expect(errorOf(location(await ask(other.id_token)))).toBe("login_required");
	expect(errorOf(location(await ask(mine.access_token)))).toBe("invalid_request");
});

test("claims requested by name are returned where they were requested", async () => {
	const claims = JSON.stringify({
		id_token: { email: null, unknown: null },
		userinfo: { name: { essential: true } },
	});
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example", { scope: "openid", claims });
	expect(claimsOf(tokens.id_token)).toMatchObject({ email: "admin@uhai.example" });
	expect(claimsOf(tokens.id_token)).not.toHaveProperty("name");
	const info = await signOn.app.inject({ url: "/api/v1/userinfo", headers: bearer(tokens.access_token) });
	expect(info.json()).toEqual({ sub: claimsOf(tokens.id_token).sub, name: "Asha Mwangi" });
});

test("a sub in the claims requires that user", async () => {
	const claims = JSON.stringify({ id_token: { sub: { value: "00000000-0000-4000-8000-000000000000" } } });
	expect(errorOf(location(await browser.get(authorizeUrl({ prompt: "none", claims }))))).toBe(
		"login_required",
	);
});

test("response_mode=form_post answers by a form that posts itself, and may post nowhere else", async () => {
	const response = await browser.get(authorizeUrl({ response_mode: "form_post", state: 'a"><script>' }));
	expect(response.statusCode).toBe(200);
	expect(response.headers["content-security-policy"]).toContain("form-action http://localhost:3002");
	expect(response.body).toContain('action="http://localhost:3002/auth/callback"');
	expect(response.body).toMatch(/name="code" value="[\w-]{43}\.k1\.[\w-]{22}"/);
	expect(response.body).toContain("a&quot;&gt;&lt;script&gt;");
});

test("a resource narrows the audience, and its tokens are rejected elsewhere (RFC 8707)", async () => {
	const tokens = await obtainTokens(signOn.app, "admin@uhai.example", { resource: "urn:lango:hospital" });
	expect(claimsOf(tokens.access_token).aud).toBe("urn:lango:hospital");
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(401);
	const next = await signOn.refresh(tokens.refresh_token);
	expect(claimsOf(next.json().access_token).aud).toBe("urn:lango:hospital");
});
