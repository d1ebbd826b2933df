import { createLocalJWKSet, type JWK } from "jose";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Issuer, startIssuer } from "./issuer.ts";
import { insecure } from "./relying-party.ts";

// OpenID Connect Discovery §3 and §4, RFC 8414, RFC 7517: the Config OP profile.

let issuer: Issuer;
let found: Response;
let metadata: Record<string, unknown>;
beforeAll(async () => {
	issuer = await startIssuer();
	found = await fetch(`${issuer.url}/.well-known/openid-configuration`);
	metadata = (await found.clone().json()) as Record<string, unknown>;
});
afterAll(() => issuer?.close());

const listed = (name: string) => metadata[name] as string[];

describe("oidcc-discovery-endpoint-verification", () => {
	test("§4.2: the document is JSON, and oauth4webapi accepts it", async () => {
		expect(found.status).toBe(200);
		expect(found.headers.get("content-type")).toMatch(/^application\/json/);
		const as = await oauth.processDiscoveryResponse(new URL(issuer.url), found.clone());
		expect(as.issuer).toBe(issuer.url);
	});

	test("§4.3: the issuer is the address the document was found under, to the letter", () => {
		expect(metadata.issuer).toBe(issuer.url);
		expect(issuer.url).not.toMatch(/[/?#]$/);
	});

	test.each([
		"issuer",
		"authorization_endpoint",
		"token_endpoint",
		"jwks_uri",
		"response_types_supported",
		"subject_types_supported",
		"id_token_signing_alg_values_supported",
		"userinfo_endpoint",
		"scopes_supported",
		"claims_supported",
		"end_session_endpoint",
	])("§3: %s, which is required or recommended, is there", (name) => {
		expect(metadata[name]).toBeDefined();
	});

	test("§3: every address is under the issuer, without a fragment", () => {
		const addresses = Object.entries(metadata).filter(([name]) => /_(endpoint|uri)$/.test(name));
		expect(addresses.length).toBeGreaterThanOrEqual(7);
		for (const [name, address] of addresses) {
			expect(String(address).startsWith(`${issuer.url}/`), name).toBe(true);
			expect(new URL(String(address)).hash, name).toBe("");
		}
	});

	test("§3: the scopes contain openid, and the algorithms RS256 but not none", () => {
		expect(listed("scopes_supported")).toContain("openid");
		expect(listed("id_token_signing_alg_values_supported")).toContain("RS256");
		expect(listed("id_token_signing_alg_values_supported")).not.toContain("none");
		expect(listed("subject_types_supported")).toEqual(["public"]);
	});

	test("the Basic profile's code flow is offered, with both ways a client may prove itself", () => {
		expect(listed("response_types_supported")).toEqual(["code"]);
		expect(listed("grant_types_supported")).toEqual(
			expect.arrayContaining(["authorization_code", "refresh_token"]),
		);
		expect(listed("token_endpoint_auth_methods_supported")).toEqual(
			expect.arrayContaining(["client_secret_basic", "client_secret_post"]),
		);
	});

	test("request objects are said to be refused, which has to be said: their default is true (§3)", () => {
		expect(metadata).toMatchObject({
			request_parameter_supported: false,
			request_uri_parameter_supported: false,
			claims_parameter_supported: true,
		});
	});

	test("only what is implemented is advertised: prompts that show a page, languages that the pages have", () => {
		expect(listed("prompt_values_supported")).toEqual(["none", "login", "select_account"]);
		expect(listed("ui_locales_supported")).toEqual(["en", "sw"]);
	});

	test("§3: claims_supported lists what the scopes tenant and roles open in ID tokens and userinfo", () => {
		expect(listed("claims_supported")).toEqual(
			expect.arrayContaining(["email", "name", "tenant_id", "tenant_slug", "roles"]),
		);
	});

	test("§3: what has no elements is left out", () => {
		for (const [name, value] of Object.entries(metadata))
			if (Array.isArray(value)) expect(value.length, name).toBeGreaterThan(0);
	});
});

describe("RFC 8414 authorization server metadata", () => {
	test("§3: the same is found at oauth-authorization-server, and oauth4webapi accepts it there", async () => {
		const response = await oauth.discoveryRequest(new URL(issuer.url), { ...insecure, algorithm: "oauth2" });
		const as = await oauth.processDiscoveryResponse(new URL(issuer.url), response);
		expect(as).toEqual(metadata);
	});

	test("§2: revocation, introspection and S256 are announced; RFC 9207 §3: so is iss in answers", () => {
		expect(metadata).toMatchObject({
			revocation_endpoint: expect.any(String),
			introspection_endpoint: expect.any(String),
			code_challenge_methods_supported: ["S256"],
			authorization_response_iss_parameter_supported: true,
		});
		expect(listed("introspection_endpoint_auth_methods_supported")).not.toContain("none");
	});
});

describe("the key set (RFC 7517, OpenID Connect Core §10.1)", () => {
	const readKeys = async () => {
		const response = await fetch(String(metadata.jwks_uri));
		expect(response.headers.get("content-type")).toMatch(/^application\/(jwk-set\+)?json/);
		return ((await response.json()) as { keys: JWK[] }).keys;
	};

	test("every key has a kid of its own, its algorithm, its use, and nothing private", async () => {
		const keys = await readKeys();
		expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
		for (const key of keys) {
			expect(key).toMatchObject({ kid: expect.any(String), use: "sig", alg: expect.any(String) });
			for (const member of ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
				expect(key).not.toHaveProperty(member);
		}
	});

	test("there is a key for each algorithm that ID tokens are signed with, and jose can use it", async () => {
		const keys = createLocalJWKSet({ keys: await readKeys() });
		for (const alg of listed("id_token_signing_alg_values_supported"))
			expect(await keys({ alg }), alg).toMatchObject({ type: "public" });
	});

	test("RSA keys have 2048 bits or more (RFC 7518 §3.3)", async () => {
		const lengths = (await readKeys())
			.filter(({ kty }) => kty === "RSA")
			.map(({ n = "" }) => Buffer.from(n, "base64url").length * 8);
		expect(lengths.length).toBeGreaterThan(0);
		expect(Math.min(...lengths)).toBeGreaterThanOrEqual(2_048);
	});
});

describe("browsers", () => {
	test.each(["/.well-known/openid-configuration", "/.well-known/jwks.json"])(
		"%s can be read by the page of a registered front end",
		async (path) => {
			const response = await fetch(`${issuer.url}${path}`, { headers: { origin: "https://spa.example" } });
			expect(response.headers.get("access-control-allow-origin")).toBe("https://spa.example");
			expect(response.headers.get("cache-control")).toContain("max-age=300");
		},
	);
});
