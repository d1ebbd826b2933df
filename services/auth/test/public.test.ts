import { listUnboundTables, listUnguardedTables } from "@lango/postgres";
import { expect, test } from "vitest";
import { issuer, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();

test("discovery contains the endpoint addresses, and they exist", async () => {
	const response = await signOn.app.inject("/.well-known/openid-configuration");
	const document = response.json();
	expect(document.issuer).toBe(issuer);
	expect((await signOn.app.inject("/.well-known/oauth-authorization-server")).json()).toEqual(document);
	for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"]) {
		const path = new URL(document[name]).pathname;
		const answer = await signOn.app.inject({ method: name === "token_endpoint" ? "POST" : "GET", url: path });
		expect(answer.statusCode, name).not.toBe(404);
	}
});

test("keys and discovery can be cached for five minutes", async () => {
	for (const url of ["/.well-known/jwks.json", "/.well-known/openid-configuration"])
		expect((await signOn.app.inject(url)).headers["cache-control"]).toBe("public, max-age=300");
});

const publicDocuments = [
	"/.well-known/openid-configuration",
	"/.well-known/oauth-authorization-server",
	"/.well-known/jwks.json",
];

test.each(publicDocuments)("%s answers 304 when If-None-Match names its ETag", async (url) => {
	const first = await signOn.app.inject(url);
	const ask = (tag: string) => signOn.app.inject({ url, headers: { "if-none-match": tag } });
	const again = await ask(String(first.headers.etag));
	expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", first.headers.etag]);
	const other = await ask('"other"');
	expect([other.statusCode, other.json()]).toEqual([200, first.json()]);
	expect(other.headers["content-type"]).toContain("application/json");
});

test.each(publicDocuments)(
	"%s may be read by any origin, without credentials unless it is listed",
	async (url) => {
		const read = (method: "GET" | "OPTIONS", origin: string) =>
			signOn.app.inject({ method, url, headers: { origin, "access-control-request-method": "GET" } });
		for (const method of ["GET", "OPTIONS"] as const) {
			const { statusCode, headers } = await read(method, "https://other.example");
			expect(statusCode).toBe(method === "GET" ? 200 : 204);
			expect(headers["access-control-allow-origin"]).toBe("*");
			expect(headers["access-control-allow-credentials"]).toBeUndefined();
		}
		expect((await read("OPTIONS", "https://other.example")).headers["access-control-allow-methods"]).toBe(
			"GET, HEAD",
		);
		expect((await read("GET", "http://localhost:3001")).headers).toMatchObject({
			"access-control-allow-origin": "http://localhost:3001",
			"access-control-allow-credentials": "true",
		});
	},
);

test("a tenant's name and branding by its slug need no credential", async () => {
	expect((await signOn.app.inject("/api/v1/tenants/by-slug/uhai")).json()).toEqual({
		id: signOn.tenants.get("uhai"),
		name: "Uhai Hospital",
		slug: "uhai",
		status: "active",
		branding: { logo_url: null, colour: null },
		time_zone: "Africa/Nairobi",
		currency: "KES",
		locale: "en-KE",
		outlet_isolation: "strict",
	});
});

test("branding can be cached for six hours and is revalidated after a minute; a change has another ETag", async () => {
	const ask = (headers: Record<string, string> = {}) =>
		signOn.app.inject({ url: "/api/v1/tenants/by-slug/kahawa", headers });
	const first = await ask();
	expect(first.headers["cache-control"]).toBe("public, max-age=60, stale-while-revalidate=21540");
	const tag = { "if-none-match": String(first.headers.etag) };
	for (const known of [tag, { "if-none-match": `"x", W/${first.headers.etag}` }, { "if-none-match": "*" }]) {
		const again = await ask(known);
		expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", first.headers.etag]);
		expect(again.headers["cache-control"]).toBe(first.headers["cache-control"]);
	}
	await signOn.db.query("update tenants set name = 'Kahawa & Mkate' where slug = 'kahawa'");
	const changed = await ask(tag);
	expect([changed.statusCode, changed.json().name]).toEqual([200, "Kahawa & Mkate"]);
	expect(changed.headers.etag).not.toBe(first.headers.etag);
});

test("the answer for an unknown tenant is not cached", async () => {
	const { headers } = await signOn.app.inject("/api/v1/tenants/by-slug/nowhere");
	expect(headers["cache-control"]).toBe("no-store");
});

test("the list of a tenant's outlets needs no credential and is an array", async () => {
	const outlets = (await signOn.app.inject("/api/v1/tenants/uhai/outlets")).json();
	expect(outlets).toEqual([
		{
			id: expect.any(String),
			code: "HQ",
			name: "Headquarters",
			use_case: "services",
			is_hq: true,
			status: "active",
			settings: {},
		},
		{
			id: expect.any(String),
			code: "PHARM",
			name: "Pharmacy",
			use_case: "pharmacy",
			is_hq: false,
			status: "active",
			settings: {},
		},
		{
			id: expect.any(String),
			code: "WARD",
			name: "Ward Block",
			use_case: "services",
			is_hq: false,
			status: "active",
			settings: {},
		},
	]);
});

test.each(["/api/v1/tenants/by-slug/nowhere", "/api/v1/tenants/nowhere/outlets"])(
	"%s is not found",
	async (url) => {
		const response = await signOn.app.inject(url);
		expect(response.statusCode).toBe(404);
		expect(response.json()).toMatchObject({ code: "tenant_not_found" });
	},
);

test("no table with a tenant lacks its policy", async () => {
	expect(await listUnguardedTables(signOn.db)).toEqual([]);
});

/** Tables of the sign-on with an outlet and without the outlet policy of services, each with the reason. */
const unboundByDesign = {
	membership_outlets: "the assignments that the outlet scope is made from: read before there is a scope",
	sessions: "the outlet that a person selected: read by the session's id before there is a scope",
};

test("no table with an outlet lacks the outlet policy, but for those that the scope itself is made from", async () => {
	expect(await listUnboundTables(signOn.db)).toEqual(Object.keys(unboundByDesign));
});

test("outside a tenant the service sees no tenant's rows", async () => {
	for (const table of [
		"outlets",
		"memberships",
		"membership_outlets",
		"sessions",
		"authorization_codes",
		"one_time_tokens",
		"audit_log",
	])
		expect(await signOn.db.query(`select 1 from ${table} limit 1`), table).toEqual([]);
});

test("signing keys are encrypted at rest", async () => {
	const rows = await signOn.db.query<{ sealed: Buffer; key_encryption_key_id: string }>(
		"select sealed, key_encryption_key_id from signing_keys",
	);
	expect(rows).toHaveLength(2);
	for (const { sealed, key_encryption_key_id } of rows) {
		expect(sealed.toString("latin1")).not.toContain("PRIVATE KEY");
		expect(key_encryption_key_id).toBe("k1");
	}
});

test("the client seed repairs wrong redirect addresses at the next start", async () => {
	await signOn.db.query(
		"update clients set redirect_uris = '{https://wrong.example/cb}' where client_id = 'pos-ui'",
	);
	const { seedClients } = await import("../src/clients/client-seed.ts");
	const { readSettings } = await import("@lango/chassis");
	const { settings } = await import("../src/config.ts");
	await seedClients(
		signOn.db,
		readSettings(settings, {
			AUTH_SNAPSHOT_READ_KEY: `lk_test1234_${"a".repeat(43)}`,
			LANGO_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
		}),
	);
	const [row] = await signOn.db.query<{ redirect_uris: string[] }>(
		"select redirect_uris from clients where client_id = 'pos-ui'",
	);
	expect(row?.redirect_uris).toEqual([
		"http://localhost:3013/{tenant}/auth/callback",
		"http://localhost:3013/auth/callback",
	]);
});

test("a browser of a registered front end may ask, one of a stranger may not", async () => {
	const preflight = (origin: string) =>
		signOn.app.inject({
			method: "OPTIONS",
			url: "/api/v1/token",
			headers: {
				origin,
				"access-control-request-method": "POST",
				"access-control-request-headers": "content-type",
			},
		});
	expect((await preflight("http://localhost:3013")).headers["access-control-allow-origin"]).toBe(
		"http://localhost:3013",
	);
	expect((await preflight("http://localhost:3000")).headers["access-control-allow-credentials"]).toBe("true");
	expect((await preflight("https://evil.example")).headers["access-control-allow-origin"]).toBeUndefined();
});
