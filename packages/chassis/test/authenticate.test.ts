import { randomUUID } from "node:crypto";
import { startTestIssuer, type TestIssuer } from "@lango/testkit";
import { createVerifier, mintApiKey, remoteKeySet } from "@lango/tokens";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	type AuthenticateOptions,
	authenticateWith,
	type Caller,
	callerOf,
	Failure,
	failureStatus,
} from "../src/index.ts";

const now = () => new Date();
const key = mintApiKey();
const tenantId = randomUUID();
let issuer: TestIssuer;

beforeAll(async () => {
	issuer = await startTestIssuer();
});
afterAll(() => issuer.close());

/** What the step makes of a request: the caller, or the refusal. */
async function learn(headers: Record<string, string>, more: Partial<AuthenticateOptions> = {}) {
	const keys = remoteKeySet({ url: `${issuer.url}/.well-known/jwks.json`, now });
	const verifier = createVerifier({ issuer: issuer.url, audiences: ["lango"], keys, now });
	const app = Fastify();
	app.addHook("onRequest", async (request, reply) =>
		authenticateWith({ verifier, platformOwnerSlug: "lango", ...more })(request, reply),
	);
	app.setErrorHandler((error, _request, reply) => {
		if (!(error instanceof Failure)) throw error;
		return reply.code(failureStatus[error.kind]).send({ code: error.code, message: error.message });
	});
	app.get("/", (request): Caller => callerOf(request));
	const answer = await app.inject({ url: "/", headers });
	return answer.statusCode === 200 ? answer.json() : `${answer.statusCode} ${answer.json().code}`;
}
const bearer = (claims: Parameters<TestIssuer["token"]>[0]) => ({
	authorization: `Bearer ${issuer.token(claims)}`,
});

describe("a token", () => {
	const person = { tenant_id: tenantId, tenant_slug: "acme", email: "a@acme.example" };

	test("with a tenant or an e-mail is a person's", async () => {
		const userId = randomUUID();
		expect(await learn(bearer({ ...person, sub: userId }))).toMatchObject({
			kind: "user",
			userId,
			isSuperuser: false,
			isPlatformOwner: false,
			claims: { tenant_id: tenantId },
		});
		expect(await learn(bearer({ email: "a@acme.example" }))).toMatchObject({ kind: "user" });
		expect(await learn(bearer({ tenant_id: tenantId }))).toMatchObject({ kind: "user" });
	});

	test.each([
		["acme", ["superuser"], true, false],
		["lango", ["superuser", "staff"], true, true],
		["lango", ["admin"], false, false],
		["lango", [], false, false],
	] as const)("of tenant %s with roles %j: superuser %s, platform owner %s", async (...row) => {
		const [tenant_slug, roles, isSuperuser, isPlatformOwner] = row;
		const caller = await learn(bearer({ ...person, tenant_slug, roles: [...roles] }));
		expect(caller).toMatchObject({ isSuperuser, isPlatformOwner });
	});

	test("knows the platform owner by the slug of the setting", async () => {
		const headers = bearer({ ...person, roles: ["superuser"] });
		expect(await learn(headers, { platformOwnerSlug: "acme" })).toMatchObject({ isPlatformOwner: true });
	});

	test("with neither tenant nor e-mail is a program's own", async () => {
		expect(await learn(bearer({ client_id: "demo-backend" }))).toMatchObject({
			kind: "client",
			clientId: "demo-backend",
		});
	});

	test("whose person or tenant is no UUID is refused", async () => {
		expect(await learn(bearer({ ...person, sub: "root" }))).toBe("401 token_invalid");
		expect(await learn(bearer({ ...person, tenant_id: "acme" }))).toBe("401 token_invalid");
	});

	test("is known by its scheme in any case, and by no other", async () => {
		const token = issuer.token(person);
		expect(await learn({ authorization: `bearer ${token}` })).toMatchObject({ kind: "user" });
		expect(await learn({ authorization: token })).toBe("401 token_invalid");
		expect(await learn({ authorization: `Basic ${token}` })).toBe("401 token_invalid");
		expect(await learn({})).toBe("401 token_invalid");
	});
});

describe("an API key", () => {
	const findApiKey: AuthenticateOptions["findApiKey"] = async (id) =>
		id === key.id ? { secretHash: key.secretHash, tenantId, permissions: ["pos.orders.add"] } : undefined;

	test("is who its record says", async () => {
		expect(await learn({ "x-api-key": key.text }, { findApiKey })).toEqual({
			kind: "key",
			keyId: key.id,
			tenantId,
			permissions: ["pos.orders.add"],
		});
	});

	test.each([
		["with another secret", `lk_${key.id}_${"x".repeat(43)}`],
		["nobody knows", mintApiKey().text],
		["of another form", "secret"],
		["that is empty", ""],
		["that is sent twice", `${key.text}, ${key.text}`],
	])("%s is refused", async (_what, text) => {
		expect(await learn({ "x-api-key": text }, { findApiKey })).toBe("401 api_key_invalid");
	});

	test("is refused by a service that takes none", async () => {
		expect(await learn({ "x-api-key": key.text })).toBe("401 api_key_invalid");
	});

	test("beside a token is refused: one of the two must be meant", async () => {
		expect(await learn({ "x-api-key": key.text, ...bearer({ tenant_id: tenantId }) }, { findApiKey })).toBe(
			"400 invalid_input",
		);
	});
});
