import { expect, test } from "vitest";
import {
	claimsOf,
	form,
	issuer,
	location,
	obtainCode,
	obtainTokens,
	openBrowser,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

// signing out on behalf of a client (RP-Initiated Logout)

const signOn = setUpSignOn();

const signedIn = async () => {
	const mine = openBrowser(signOn.app);
	await mine.signIn("admin@uhai.example");
	return { mine, tokens: (await tradeCode(signOn.app, await obtainCode(mine))).json() };
};
const url = (members: Record<string, string>) => `/api/v1/oidc/logout?${new URLSearchParams(members)}`;
const home = "http://localhost:3002/";

test("with a hint and a registered address the browser goes back with state, and everything has ended", async () => {
	const { mine, tokens } = await signedIn();
	signOn.now.forward(3_700);
	const response = await mine.get(
		url({ id_token_hint: tokens.id_token, post_logout_redirect_uri: home, state: "bye" }),
	);
	expect(location(response).toString()).toBe(`${home}?state=bye`);
	expect(mine.cookie).toBeUndefined();
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(401);
});

test.each(["http://localhost:3002/other", "http://localhost:3001/", "https://evil.example/"])(
	"%s is not registered for the client, so a page is shown",
	async (address) => {
		const { mine, tokens } = await signedIn();
		const response = await mine.get(
			url({ id_token_hint: tokens.id_token, post_logout_redirect_uri: address }),
		);
		expect(response.statusCode).toBe(200);
		expect(response.headers.location).toBeUndefined();
		expect(response.body).toContain("You are signed out");
		expect((await signOn.me(tokens.access_token)).statusCode).toBe(401);
	},
);

test("a hint ends its session also when the row of its browser is gone", async () => {
	const { tokens } = await signedIn();
	const { sub } = claimsOf(tokens.access_token);
	await signOn.db.query("delete from browser_sessions where user_id = $1", [sub]);
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(200);
	await openBrowser(signOn.app).get(url({ id_token_hint: tokens.id_token }));
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(401);
});

test("without a hint the user must confirm, and the browser is not redirected", async () => {
	const { mine, tokens } = await signedIn();
	const response = await mine.get(url({ post_logout_redirect_uri: home }));
	expect(response.body).toContain("Sign out?");
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(200);
	const confirmed = await signOn.app.inject({
		method: "POST",
		url: "/api/v1/oidc/logout",
		payload: "confirm=yes",
		headers: { ...form, cookie: mine.cookie ?? "", origin: issuer },
	});
	expect(confirmed.body).toContain("You are signed out");
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(401);
});

test("a page of an unknown origin cannot confirm the sign-out", async () => {
	const { mine, tokens } = await signedIn();
	const response = await signOn.app.inject({
		method: "POST",
		url: "/api/v1/oidc/logout",
		payload: "confirm=yes",
		headers: { ...form, cookie: mine.cookie ?? "", origin: "https://evil.example" },
	});
	expect(response.statusCode).toBe(403);
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(200);
});

test("with a hint for another user the user must confirm", async () => {
	const { mine, tokens } = await signedIn();
	const other = await obtainTokens(signOn.app, "owner@kahawa.example");
	const response = await mine.get(url({ id_token_hint: other.id_token, post_logout_redirect_uri: home }));
	expect(response.body).toContain("Sign out?");
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(200);
});

test("an unsigned or foreign hint, or one of another client, changes nothing and never redirects", async () => {
	const { mine, tokens } = await signedIn();
	const [header, claims] = String(tokens.id_token).split(".");
	for (const members of [
		{ id_token_hint: `${header}.${claims}.` },
		{ id_token_hint: "garbage" },
		{ id_token_hint: tokens.access_token },
		{ id_token_hint: tokens.id_token, client_id: "console-ui" },
	]) {
		const response = await mine.get(
			url({ ...members, post_logout_redirect_uri: home } as Record<string, string>),
		);
		expect(response.statusCode).toBe(400);
		expect(response.headers.location).toBeUndefined();
	}
	expect((await signOn.me(tokens.access_token)).statusCode).toBe(200);
});
