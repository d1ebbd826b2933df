import { randomUUID } from "node:crypto";
import { startTestIssuer, type TestIssuer } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { createVerifier, mintApiKey, remoteKeySet } from "@lango/tokens";
import Fastify from "fastify";
import { describe, expect, test } from "vitest";
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
const issuer = setUp(startTestIssuer);

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
type Claims = NonNullable<Parameters<TestIssuer["token"]>[0]>;
/** A member that is undefined is left out of the token. */
const bearer = (claims: { [Name in keyof Claims]?: Claims[Name] | undefined }) => ({
	authorization: `Bearer ${issuer.token(claims as Claims)}`,
});

describe("a token", () => {
	const person = { tenant_id: tenantId, tenant_slug: "acme", email: "a@acme.example" };

	test("that says idtyp user is a person's, also without e-mail and tenant", async () => {
		const userId = randomUUID();
		expect(await learn(bearer({ ...person, sub: userId }))).toMatchObject({
			kind: "user",
			userId,
			isSuperuser: false,
			isPlatformOwner: false,
			claims: { tenant_id: tenantId },
		});
		for (const less of [{ sid: "s" }, {}])
			expect(await learn(bearer({ idtyp: "user", ...less }))).toMatchObject({ kind: "user" });
	});

	test("that says idtyp app is a program's, also with an e-mail and a tenant", async () => {
		const program = { client_id: "demo-backend", idtyp: "app" } as const;
		for (const more of [{}, person, { scope: "catalog:view" }])
			expect(await learn(bearer({ ...program, ...more }))).toMatchObject({
				kind: "client",
				clientId: "demo-backend",
			});
	});

	test("with another idtyp is refused", async () => {
		expect(await learn(bearer({ ...person, idtyp: "robot" as "app" }))).toBe("401 token_invalid");
	});

	test.each([
		["a person", { ...person, sid: "s", scope: "openid" }, { kind: "user" }],
		["a program", { client_id: "demo-backend", scope: "catalog:view" }, { kind: "client" }],
		["a session, without person and tenant", { sid: "s", scope: "openid" }, "403 insufficient_scope"],
		["an e-mail, without a tenant", { email: person.email, scope: "openid" }, "403 insufficient_scope"],
		["a tenant, without an e-mail", { tenant_id: tenantId, scope: "openid" }, "403 insufficient_scope"],
	])("of an older release, without idtyp, is read by its claims: %s", async (_what, claims, expected) => {
		const caller = await learn(bearer({ idtyp: undefined, ...claims }));
		if (typeof expected === "string") expect(caller).toBe(expected);
		else expect(caller).toMatchObject(expected);
	});

	test.each(["openid", "openid profile email tenant roles", "", "lango.apis xlango.api", undefined])(
		"of a person without lango.api (scope %j) is 403 insufficient_scope, whatever else it says",
		async (scope) => {
			const claims = { ...person, tenant_slug: "lango", roles: ["superuser"], scope };
			expect(await learn(bearer(claims))).toBe("403 insufficient_scope");
		},
	);

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

	test("identifies the platform owner by the slug in the settings", async () => {
		const headers = bearer({ ...person, roles: ["superuser"] });
		expect(await learn(headers, { platformOwnerSlug: "acme" })).toMatchObject({ isPlatformOwner: true });
	});

	test("whose person or tenant is not a UUID is refused", async () => {
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

	test("has the caller and the permissions of its record", async () => {
		expect(await learn({ "x-api-key": key.text }, { findApiKey })).toEqual({
			kind: "key",
			keyId: key.id,
			tenantId,
			permissions: ["pos.orders.add"],
		});
	});

	test.each([
		["with another secret", `lk_${key.id}_${"x".repeat(43)}`],
		["with an unknown id", mintApiKey().text],
		["of another form", "secret"],
		["that is empty", ""],
		["that is sent twice", `${key.text}, ${key.text}`],
	])("%s is refused", async (_what, text) => {
		expect(await learn({ "x-api-key": text }, { findApiKey })).toBe("401 api_key_invalid");
	});

	test("is refused by a service that accepts no keys", async () => {
		expect(await learn({ "x-api-key": key.text })).toBe("401 api_key_invalid");
	});

	test("together with a token is refused", async () => {
		expect(await learn({ "x-api-key": key.text, ...bearer({ tenant_id: tenantId }) }, { findApiKey })).toBe(
			"400 invalid_input",
		);
	});
});
