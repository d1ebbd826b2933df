import { randomUUID } from "node:crypto";
import { generateSigningKey, signJwt } from "@lango/tokens";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bearer, claimsOf, issuer, obtainTokens, password, postToken, setUpSignOn } from "./sign-on.ts";
import { openStatementCount, type StatementCount } from "./statements.ts";

// What others learnt at some cost, where no other file here proves it.

/** Every password that was hashed or checked since it was last emptied, by what it cost. */
const hashed = vi.hoisted((): string[] => []);
vi.mock("node:crypto", async (original) => {
	const real = await original<typeof import("node:crypto")>();
	const argon2: typeof real.argon2 = (algorithm, parameters, done) => {
		const { memory, passes, parallelism, tagLength } = parameters;
		hashed.push([algorithm, memory, passes, parallelism, tagLength].join(" "));
		return real.argon2(algorithm, parameters, done);
	};
	return { ...real, argon2 };
});

const signOn = setUpSignOn();
let count: StatementCount;
beforeAll(async () => {
	count = await openStatementCount(signOn.ownerUrl);
});
afterAll(() => count?.close());

describe("the time of a refused sign-in does not reveal whether a user is registered", () => {
	const refusals: Array<readonly [string, object]> = [
		["a wrong password", { email: "admin@uhai.example", password: "wrong-password" }],
		["an unknown person", { email: "unknown@uhai.example", password }],
		["a tenant that is not theirs", { email: "admin@uhai.example", password, tenant_slug: "kahawa" }],
		["a tenant that does not exist", { email: "admin@uhai.example", password, tenant_slug: "nowhere" }],
		["a person without a password", { email: "invited@uhai.example", password }],
		["a person who was disabled", { email: "gone@uhai.example", password }],
	];
	beforeAll(async () => {
		await count.arrange(
			`insert into users (email, email_folded, name, status, primary_tenant_id)
			 select e, e, 'Somebody', s, t.id from tenants t,
			   (values ('invited@uhai.example', 'active'), ('gone@uhai.example', 'disabled')) as v (e, s) where t.slug = 'uhai'`,
		);
		await count.arrange(
			`insert into credentials (user_id, kind, secret) select g.id, 'password', c.secret from users g, users a
			   join credentials c on c.user_id = a.id where g.email = 'gone@uhai.example' and a.email = 'admin@uhai.example'`,
		);
	});

	test.each(refusals)(
		"%s costs one hash of today's parameters and one look into the database",
		async (_who, payload) => {
			hashed.length = 0;
			const { statements } = await count.during(async () => {
				const response = await signOn.app.inject({ method: "POST", url: "/api/v1/auth/login", payload });
				expect(response.json()).toMatchObject({ code: "invalid_credentials" });
			});
			expect(hashed).toEqual(["argon2id 19456 2 1 32"]);
			expect(statements).toEqual([expect.stringContaining("find_sign_in")]);
		},
	);
});

describe("a token made for one tenant never reads another", () => {
	/** One is for anybody, the other for programs with an API key: neither is for a tenant's people. */
	const elsewhere = ["GET /api/v1/tenants/{slug}/outlets", "GET /api/v1/tenants/{slug}/outlet-settings"];
	/** Every method and address with a tenant in it, as the service's own reference lists them. */
	const listAddresses = async (): Promise<string[]> => {
		const { paths } = (await signOn.app.inject("/openapi.json")).json<{ paths: Record<string, object> }>();
		return Object.entries(paths)
			.filter(([path]) => path.startsWith("/api/v1/tenants/{slug}/"))
			.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
			.filter((name) => !elsewhere.includes(name));
	};
	const cashier = async () =>
		claimsOf((await obtainTokens(signOn.app, "cashier@kahawa.example")).access_token);

	test("at every route with a tenant, another tenant is not found and nothing about it is returned", async () => {
		const { access_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
		const { sub, outlet_id: outletId, roles } = await cashier();
		const addresses = await listAddresses();
		expect(addresses.length).toBeGreaterThan(10);
		for (const name of addresses) {
			const [method, path = ""] = name.split(" ");
			const url = path
				.replace("{slug}", "kahawa")
				.replace("{user_id}", String(sub))
				.replace("{id}", String(path.includes("outlets") ? outletId : randomUUID()));
			const response = await signOn.app.inject({ method: method as "GET", url, headers: bearer(token) });
			expect(method === "GET" ? [404] : [400, 403, 404], name).toContain(response.statusCode);
			expect(response.body, name).not.toMatch(/kahawa\.example|Juma|MAIN/);
		}
		expect(await cashier()).toMatchObject({ sub, outlet_id: outletId, roles });
	});

	test("no header and no parameter of a later request moves a token or a session to another tenant", async () => {
		const kahawa = signOn.tenants.get("kahawa") ?? "";
		const first = await obtainTokens(signOn.app, "admin@uhai.example");
		const moved = { "x-tenant-id": kahawa, "x-tenant-slug": "kahawa" };
		expect((await signOn.me(first.access_token, moved)).json()).toMatchObject({ tenant_slug: "uhai" });
		const next = await postToken(
			signOn.app,
			{
				grant_type: "refresh_token",
				refresh_token: first.refresh_token,
				client_id: "cafe-website",
				tenant: "kahawa",
				tenant_id: kahawa,
			},
			moved,
		);
		expect(claimsOf(next.json().access_token)).toMatchObject({ tenant_slug: "uhai" });
	});
});

describe("clocks differ", () => {
	test("a token is good until a minute after its expiry, and not longer", async () => {
		const { access_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
		signOn.now.forward(6 * 3_600 + 59);
		expect((await signOn.me(token)).statusCode).toBe(200);
		signOn.now.forward(2);
		expect((await signOn.me(token)).statusCode).toBe(401);
	});

	test("a token made by a clock a minute ahead is good, one by a clock further ahead is not", async () => {
		const { access_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
		signOn.now.forward(-59);
		expect((await signOn.me(token)).statusCode).toBe(200);
		signOn.now.forward(-2);
		expect((await signOn.me(token)).statusCode).toBe(401);
		signOn.now.forward(61);
	});
});

describe("forged tokens", () => {
	test("a flood of tokens with unknown keys causes no database query of the issuer", async () => {
		const key = await generateSigningKey("ES256");
		const iat = Math.floor(signOn.now.at.getTime() / 1_000);
		const forge = (kid: string) =>
			signJwt({ ...key, kid }, "at+jwt", {
				iss: issuer,
				aud: "lango",
				sub: randomUUID(),
				client_id: "cafe-website",
				jti: randomUUID(),
				sid: randomUUID(),
				iat,
				exp: iat + 600,
			});
		const { statements } = await count.during(async () => {
			for (let turn = 0; turn < 50; turn += 1)
				expect((await signOn.me(forge(randomUUID()))).statusCode).toBe(401);
		});
		expect(statements).toEqual([]);
	});

	test("a token that names a key of the issuer and is signed by another is refused", async () => {
		const { access_token: token } = await obtainTokens(signOn.app, "admin@uhai.example");
		const [header = ""] = token.split(".");
		const { kid } = JSON.parse(Buffer.from(header, "base64url").toString());
		const forged = signJwt({ ...(await generateSigningKey("ES256")), kid }, "at+jwt", claimsOf(token));
		expect((await signOn.me(forged)).statusCode).toBe(401);
		expect((await signOn.me(token)).statusCode).toBe(200);
	});
});
