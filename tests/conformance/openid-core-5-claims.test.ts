import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, locationOf, openBrowser, someone } from "./browser.ts";
import { clients } from "./clients.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { askUserinfo, makeRelyingParty, type RelyingParty } from "./relying-party.ts";

// OpenID Connect Core §5: which claims about a person which client receives, and where.

let issuer: Issuer;
let rp: RelyingParty;
let browser: Browser;
beforeAll(async () => {
	issuer = await startIssuer();
	rp = await makeRelyingParty(issuer, clients.first);
	browser = openBrowser(issuer);
	await browser.signIn();
});
afterAll(() => issuer?.close());

const userinfo = (token: string, method = "GET") =>
	fetch(rp.as.userinfo_endpoint ?? "", { method, headers: { authorization: `Bearer ${token}` } });

describe("§5.3 the userinfo endpoint", () => {
	test("oidcc-userinfo-get and oidcc-userinfo-post-header: the same claims by both, with the sub of the ID token", async () => {
		const { claims, tokens } = await rp.walk(browser, { scope: "openid profile email" });
		const answers = await Promise.all(
			["GET", "POST"].map(async (method) => {
				const response = await userinfo(tokens.access_token, method);
				expect(response.status).toBe(200);
				expect(response.headers.get("content-type")).toMatch(/^application\/json/);
				return response.json();
			}),
		);
		expect(answers[1]).toEqual(answers[0]);
		expect(answers[0]).toMatchObject({ sub: claims.sub });
	});

	test("oidcc-userinfo-post-body: the token may be sent in a form (RFC 6750 §2.2), and then nowhere else", async () => {
		const { tokens } = await rp.walk(browser);
		const form = { access_token: tokens.access_token };
		const response = await issuer.post("/api/v1/userinfo", form);
		expect(response.status).toBe(200);
		expect(await response.json()).toHaveProperty("sub");
		const twice = await issuer.post("/api/v1/userinfo", form, {
			authorization: `Bearer ${tokens.access_token}`,
		});
		expect(twice.status).toBe(400);
		expect(twice.headers.get("www-authenticate")).toContain('error="invalid_request"');
	});

	test("what is answered follows the scope of the token that asks, where that was narrowed at a refresh", async () => {
		const { tokens } = await rp.walk(browser, { scope: "openid profile email offline_access" });
		let live = tokens.refresh_token ?? "";
		const narrowed = async (scope: string) => {
			const answer = await issuer.post("/api/v1/token", {
				grant_type: "refresh_token",
				refresh_token: live,
				client_id: clients.first.id,
				client_secret: clients.first.secret,
				scope,
			});
			const refreshed = (await answer.json()) as { access_token: string; refresh_token: string };
			live = refreshed.refresh_token;
			return userinfo(refreshed.access_token);
		};
		expect(Object.keys((await (await narrowed("openid")).json()) as object)).toEqual(["sub"]);
		const withoutOpenid = await narrowed("email");
		expect(withoutOpenid.status).toBe(403);
		expect(withoutOpenid.headers.get("www-authenticate")).toContain("insufficient_scope");
		expect((await (await narrowed("openid email")).json()) as object).toHaveProperty("email");
	});

	test("a front end may ask from its own origin, and a stranger's page may not", async () => {
		const { tokens } = await rp.walk(browser);
		const from = async (origin: string) =>
			(
				await fetch(rp.as.userinfo_endpoint ?? "", {
					headers: { authorization: `Bearer ${tokens.access_token}`, origin },
				})
			).headers.get("access-control-allow-origin");
		expect(await from("https://spa.example")).toBe("https://spa.example");
		expect(await from("https://evil.example")).toBeNull();
	});
});

describe("§5.4 claims by scope", () => {
	const mail = { email: someone, email_verified: true };
	const names = { name: "Asha Mwangi" };

	test.each([
		["openid alone", "openid", {}],
		["oidcc-scope-profile", "openid profile", names],
		["oidcc-scope-email", "openid email", mail],
		["oidcc-scope-all", "openid profile email address phone", { ...names, ...mail }],
	])("%s opens what it says and nothing else", async (_name, scope, opened) => {
		const walked = await rp.walk(browser, { scope });
		expect(await askUserinfo(rp, walked)).toEqual({ sub: walked.claims.sub, ...opened });
	});

	test("the response has the granted scope, without unsupported values", async () => {
		const { tokens } = await rp.walk(browser, { scope: "phone email openid email" });
		expect(tokens.scope?.split(" ").sort()).toEqual(["email", "openid"]);
	});
});

describe("§5.5 the claims parameter", () => {
	test("oidcc-claims-essential: an essential name is given at the userinfo endpoint without the scope for it", async () => {
		const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
		const walked = await rp.walk(browser, { claims });
		expect(await askUserinfo(rp, walked)).toEqual({ sub: walked.claims.sub, name: "Asha Mwangi" });
		expect(walked.claims).not.toHaveProperty("name");
	});

	test("a claim asked for in the ID token is put there, and not at the userinfo endpoint", async () => {
		const claims = JSON.stringify({ id_token: { email: null, auth_time: { essential: true } } });
		const walked = await rp.walk(browser, { claims });
		expect(walked.claims).toMatchObject({ email: someone, auth_time: expect.any(Number) });
		expect(await askUserinfo(rp, walked)).toEqual({ sub: walked.claims.sub });
	});

	test("§5.5: unknown members are ignored, also with languages and values", async () => {
		const claims = JSON.stringify({
			userinfo: { "given_name#ja-Hani-JP": null, picture: { values: ["a"] }, __proto__: null },
			elsewhere: { email: null },
		});
		const walked = await rp.walk(browser, { claims });
		expect(await askUserinfo(rp, walked)).toEqual({ sub: walked.claims.sub });
	});

	test("§5.5.1: a sub that is somebody else's gives no tokens about who is signed in", async () => {
		const claims = JSON.stringify({ id_token: { sub: { value: "248289761001" } } });
		const { url } = await rp.ask({ claims, prompt: "none" });
		expect(locationOf(await browser.get(url)).searchParams.get("error")).toBe("login_required");
	});

	test("§5.5.1.1: an essential acr that is not supported fails the authentication", async () => {
		const acr = { essential: true, values: ["urn:mace:incommon:iap:silver"] };
		const { url } = await rp.ask({ claims: JSON.stringify({ id_token: { acr } }) });
		const to = locationOf(await browser.get(url));
		expect(to.searchParams.get("error")).toBe("unmet_authentication_requirements");
		expect(to.searchParams.has("code")).toBe(false);
	});

	test.each([
		[{ essential: true, value: "urn:lango:acr:password" }],
		[{ essential: true, values: ["urn:mace:incommon:iap:silver", "urn:lango:acr:password"] }],
		[{ essential: true }],
	])("§5.5.1.1: an essential acr that a password is enough for is had: %j", async (acr) => {
		const { claims } = await rp.walk(browser, { claims: JSON.stringify({ id_token: { acr } }) });
		expect(claims["acr"]).toBe("urn:lango:acr:password");
	});

	test("§5.5.1.1: a voluntary acr that is not supported is ignored", async () => {
		const claims = JSON.stringify({ id_token: { acr: { values: ["urn:mace:incommon:iap:silver"] } } });
		expect((await rp.walk(browser, { claims })).claims.sub).toBeTypeOf("string");
	});
});

describe("§8 subjects", () => {
	test("public subjects: two clients see one person under one sub", async () => {
		const second = await makeRelyingParty(issuer, clients.second);
		expect((await second.walk(browser)).claims.sub).toBe((await rp.walk(browser)).claims.sub);
	});
});
