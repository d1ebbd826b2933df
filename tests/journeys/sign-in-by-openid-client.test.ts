import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { generateSigningKey, signJwt } from "@lango/tokens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { visit } from "./openid-client-visit.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";
import { type Services, startServices } from "./services.ts";
import { makeAuthority, startTlsProxy, type TlsProxy } from "./tls.ts";

const password = "Karibu-2026!";
const run = promisify(execFile);
const read = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, "base64url").toString());

describe("over http on loopback", () => {
	let platform: Services;
	beforeAll(async () => {
		platform = await startServices(() => new Date(), ["hospital"]);
	});
	afterAll(() => platform?.close());

	const as = (email: string) =>
		visit({
			issuer: platform.urls.auth,
			hospitalUrl: platform.urls.hospital,
			email,
			password,
			allowInsecureRequests: true,
		});

	test("openid-client signs a person in with allowInsecureRequests as its only option, and the hospital knows who they are", async () => {
		const { claims, refreshed, hospital, cookie } = await as("admin@uhai.example");
		expect(claims).toMatchObject({
			iss: platform.urls.auth,
			aud: "demo-backend",
			email: "admin@uhai.example",
		});
		expect(hospital.status).toBe(200);
		expect(hospital.body).toMatchObject({
			email: "admin@uhai.example",
			global_roles: ["admin"],
			service_role: "hospital_admin",
			permissions: expect.arrayContaining(["hospital.config.manage"]),
		});
		expect(refreshed).toBe(true);
		expect(cookie).toMatch(/^lango=/);
	});

	const call = async (
		token: string,
		{ method, tenant, body }: { method: string; tenant: string; body?: object },
	) => {
		const path = method === "GET" ? "auth/me" : "config";
		const response = await fetch(`${platform.urls.hospital}/api/v1/${tenant}/hospital/${path}`, {
			method,
			headers: {
				authorization: `Bearer ${token}`,
				...(body !== undefined && { "content-type": "application/json" }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		return { status: response.status, body: (await response.json()) as Record<string, unknown> };
	};
	const setting = { key: "greeting", value: "Karibu" };

	test("an administrator of an active tenant changes the hospital's settings", async () => {
		const { accessToken } = await as("admin@uhai.example");
		expect(await call(accessToken, { method: "PUT", tenant: "uhai", body: setting })).toMatchObject({
			status: 200,
		});
	});

	test("the expired tenant reads, and changes nothing: 403, subscription_inactive, upgrade", async () => {
		const { accessToken, hospital } = await as("owner@duka.example");
		expect(hospital.status).toBe(200);
		const refused = await call(accessToken, { method: "PUT", tenant: "duka", body: setting });
		expect(refused.status).toBe(403);
		expect(refused.body).toMatchObject({
			error: expect.any(String),
			code: "subscription_inactive",
			upgrade: true,
		});
	});

	test("a person without the permission is forbidden", async () => {
		const { accessToken } = await as("pharm@uhai.example");
		const refused = await call(accessToken, { method: "PUT", tenant: "uhai", body: setting });
		expect(refused.status).toBe(403);
		expect(refused.body).toMatchObject({ error: "forbidden", code: "forbidden" });
	});

	test("another tenant's path is not found", async () => {
		const { accessToken } = await as("admin@uhai.example");
		for (const method of ["GET", "PUT"])
			expect(
				(await call(accessToken, { method, tenant: "kahawa", ...(method === "PUT" && { body: setting }) }))
					.status,
			).toBe(404);
	});

	test("a foreign issuer's token is refused, under its own key's name and under ours", async () => {
		const { accessToken } = await as("admin@uhai.example");
		const [header = {}, claims = {}] = accessToken.split(".").slice(0, 2).map(read);
		const foreign = await generateSigningKey("ES256");
		for (const kid of [foreign.kid, String(header["kid"])]) {
			const forged = signJwt({ ...foreign, kid }, "at+jwt", claims);
			expect((await call(forged, { method: "GET", tenant: "uhai" })).status).toBe(401);
		}
	});

	test("a session that has ended is refused at the hospital within moments", async () => {
		const { accessToken } = await as("pharm@uhai.example");
		expect((await call(accessToken, { method: "GET", tenant: "uhai" })).status).toBe(200);
		const signedOut = await fetch(`${platform.urls.auth}/api/v1/auth/logout`, {
			method: "POST",
			headers: { authorization: `Bearer ${accessToken}` },
		});
		expect(signedOut.status).toBe(200);
		const ask = () => call(accessToken, { method: "GET", tenant: "uhai" });
		await expect.poll(async () => (await ask()).status, { interval: 50 }).toBe(401);
	});

	test("the platform owner reads any tenant", async () => {
		const { accessToken, hospital } = await as("root@lango.example");
		expect(hospital.status).toBe(200);
		expect((await call(accessToken, { method: "GET", tenant: "uhai" })).status).toBe(200);
	});
});

describe("over TLS with a certificate authority of its own", () => {
	let platform: RunningPlatform;
	let proxy: TlsProxy;
	let folder: string;
	let trust: string;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "lango-tls-"));
		trust = join(folder, "ca.pem");
		const authority = await makeAuthority();
		await writeFile(trust, authority.certificate);
		proxy = await startTlsProxy(authority.server);
		platform = await startPlatform({ AUTH_URL: proxy.url, NODE_EXTRA_CA_CERTS: trust });
		proxy.forwardTo(new URL(platform.urls.auth));
	});
	afterAll(async () => {
		await platform?.stop();
		await proxy?.close();
		await rm(folder, { recursive: true, force: true });
	});

	test("openid-client signs a person in with no option at all, and the cookie is bound to the host", async () => {
		const part = {
			issuer: proxy.url,
			hospitalUrl: platform.urls.hospital,
			email: "admin@uhai.example",
			password,
			allowInsecureRequests: false,
		};
		const { stdout } = await run(
			process.execPath,
			[join(import.meta.dirname, "openid-client-visit.ts"), JSON.stringify(part)],
			{
				env: { ...process.env, NODE_EXTRA_CA_CERTS: trust },
			},
		);
		const { cookie, claims, hospital, refreshed } = JSON.parse(stdout);
		expect(claims.iss).toBe(proxy.url);
		expect(hospital).toMatchObject({ status: 200, body: { service_role: "hospital_admin" } });
		expect(refreshed).toBe(true);
		expect(cookie).toMatch(/^__Host-lango=[\w-]{43};/);
		for (const attribute of ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"])
			expect(cookie).toContain(attribute);
		expect(cookie).not.toContain("Domain");
	});
});
