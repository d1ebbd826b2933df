import { randomUUID } from "node:crypto";
import { acrossTenants } from "@lango/postgres";
import { startTestIssuer, testSubscription, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { generateSigningKey } from "@lango/tokens";
import { describe, expect, test } from "vitest";
import { openWard } from "./ward.ts";

const ward = setUp(openWard);

const me = (slug: string) => `/api/v1/${slug}/hospital/auth/me`;
const config = (slug: string) => `/api/v1/${slug}/hospital/config`;
const change = { method: "PUT", body: { key: "theme", value: "dark" } } as const;
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const stale = () => ({ iat: nowSeconds() - 120 });
const rows = <R extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
	acrossTenants(ward.database.db, (tx) => tx.query<R>(text, values));

const everything = [
	"hospital.api_keys.manage",
	"hospital.api_keys.view",
	"hospital.audit.view",
	"hospital.config.manage",
	"hospital.config.view",
	"hospital.permissions.view",
	"hospital.roles.manage",
	"hospital.roles.view",
	"hospital.users.view",
];

describe("authentication", () => {
	test("a person unknown to the hospital gets their identity and role", async () => {
		const sub = randomUUID();
		const { status, body } = await ward.call({
			url: me("uhai"),
			token: ward.token(ward.uhai, "admin", { sub }),
		});
		expect(status).toBe(200);
		expect(body).toEqual({
			user_id: sub,
			email: "admin@uhai.example",
			name: "admin",
			global_roles: ["admin"],
			service_role: "hospital_admin",
			permissions: everything,
		});
	});

	test.each([
		["superuser", "hospital_admin"],
		["admin", "hospital_admin"],
		["staff", "hospital_operator"],
		["manager", "hospital_viewer"],
		["member", "hospital_viewer"],
		["unknown-role", "hospital_viewer"],
	])("the global role %s gets %s first", async (role, expected) => {
		const { body } = await ward.call({ url: me("uhai"), token: ward.token(ward.uhai, role) });
		expect(body.service_role).toBe(expected);
	});

	test("without a credential the response is 401 and names the scheme", async () => {
		const { status, body, headers } = await ward.call({ url: me("uhai") });
		expect(status).toBe(401);
		expect(body).toMatchObject({ code: "token_invalid", request_id: expect.any(String) });
		expect(headers["www-authenticate"]).toBe('Bearer realm="lango"');
	});

	test.each<[string, () => Promise<string>]>([
		["that is not a token", async () => "abc"],
		["that was changed", async () => `${ward.token(ward.uhai, "admin").slice(0, -6)}AAAAAA`],
		[
			"that expired",
			async () => ward.token(ward.uhai, "admin", { iat: nowSeconds() - 7_200, exp: nowSeconds() - 120 }),
		],
		["of another issuer", async () => ward.token(ward.uhai, "admin", { iss: "http://elsewhere.example" })],
		["for another audience", async () => ward.token(ward.uhai, "admin", { aud: "elsewhere" })],
		[
			"of another kind",
			async () => ward.issuer.token({ tenant_id: ward.uhai.id, tenant_slug: "uhai" }, { typ: "JWT" }),
		],
		[
			"signed with an unpublished key",
			async () => ward.issuer.token({}, { key: await generateSigningKey("ES256") }),
		],
		["whose subject is not a UUID", async () => ward.token(ward.uhai, "admin", { sub: "root" })],
	])("a token %s is refused with 401", async (_what, mint) => {
		const { status, body, headers } = await ward.call({ url: me("uhai"), token: await mint() });
		expect({ status, code: body.code }).toEqual({ status: 401, code: "token_invalid" });
		expect(headers["www-authenticate"]).toMatch(/^Bearer error="invalid_token"/);
	});

	test("a token of another issuer's own keys is refused with 401", async () => {
		const foreign = await startTestIssuer();
		const token = foreign.token({
			iss: ward.issuer.url,
			tenant_id: ward.uhai.id,
			tenant_slug: "uhai",
			roles: ["admin"],
		});
		expect(await ward.call({ url: me("uhai"), token })).toMatchObject({ status: 401 });
		await foreign.close();
	});

	test("a key has the permissions of its list, and none of a person's", async () => {
		const key = await ward.key(ward.uhai, ["hospital.config.view"]);
		const headers = { "x-api-key": key };
		expect(await ward.call({ url: config("uhai"), headers })).toMatchObject({ status: 200 });
		expect(await ward.call({ url: config("uhai"), headers, ...change })).toMatchObject({
			status: 403,
			body: { error: "forbidden" },
		});
		expect(await ward.call({ url: me("uhai"), headers })).toMatchObject({
			status: 403,
			body: { code: "forbidden" },
		});
		expect(await ward.call({ url: config("kahawa"), headers })).toMatchObject({
			status: 404,
			body: { code: "tenant_not_found" },
		});
		const wrong = { "x-api-key": `${key.slice(0, -4)}AAAA` };
		expect(await ward.call({ url: config("uhai"), headers: wrong })).toMatchObject({
			status: 401,
			body: { code: "api_key_invalid" },
		});
	});

	test("a client's own token has the permissions of its scope, and creates no user", async () => {
		const sub = randomUUID();
		const token = ward.issuer.token({
			sub,
			client_id: sub,
			idtyp: "app",
			scope: "hospital.config.view openid",
		});
		expect(await ward.call({ url: config("uhai"), token })).toMatchObject({ status: 200 });
		expect(await ward.call({ url: config("uhai"), token, ...change })).toMatchObject({
			status: 403,
			body: { error: "forbidden" },
		});
		expect(await rows("select id from users where auth_service_user_id = $1", [sub])).toEqual([]);
	});
});

describe("tenant resolution", () => {
	test("another tenant's address is not found for any caller", async () => {
		for (const role of ["admin", "superuser", "staff"])
			expect(await ward.call({ url: me("kahawa"), token: ward.token(ward.uhai, role) })).toMatchObject({
				status: 404,
				body: { code: "tenant_not_found" },
			});
		expect(
			await ward.call({ url: config(ward.kahawa.id), token: ward.token(ward.uhai, "admin"), ...change }),
		).toMatchObject({ status: 404 });
	});

	test.each<[string, string | string[]]>([
		["is a slug", "uhai"],
		["is empty", ""],
		["comes twice", [randomUUID(), randomUUID()]],
		["is almost a UUID", `${randomUUID()}0`],
	])("an X-Tenant-ID that %s is refused and the header is named", async (_what, value) => {
		const ofPlatform = { url: "/api/v1/platform/dead-letters", token: ward.token(ward.lango, "superuser") };
		for (const asked of [{ url: me("uhai"), token: ward.token(ward.uhai, "admin") }, ofPlatform]) {
			const answer = await ward.call({ ...asked, headers: { "x-tenant-id": value } });
			expect(answer).toMatchObject({
				status: 400,
				body: { code: "invalid_input", field: "x-tenant-id", in: "headers" },
			});
		}
	});

	test("a well-formed X-Tenant-ID that differs from the path is ignored", async () => {
		const headers = { "x-tenant-id": ward.kahawa.id, "x-tenant-slug": "kahawa" };
		expect(
			await ward.call({ url: me("uhai"), token: ward.token(ward.uhai, "admin"), headers }),
		).toMatchObject({ status: 200 });
	});

	test("tenantId must match the path, except for the platform owner under the platform's path", async () => {
		const token = ward.token(ward.uhai, "admin");
		expect(await ward.call({ url: `${me("uhai")}?tenantId=${ward.uhai.id}`, token })).toMatchObject({
			status: 200,
		});
		for (const tenantId of [ward.kahawa.id, "kahawa", `${ward.uhai.id}&tenantId=${ward.uhai.id}`])
			expect(await ward.call({ url: `${me("uhai")}?tenantId=${tenantId}`, token })).toMatchObject({
				status: 400,
				body: { field: "tenantId", in: "query" },
			});
		const root = ward.token(ward.lango, "superuser");
		expect(await ward.call({ url: `${me("uhai")}?tenantId=${ward.kahawa.id}`, token: root })).toMatchObject({
			status: 400,
		});
	});
});

describe("the subscription", () => {
	test("a tenant without a current subscription can read and sign in, but not change anything", async () => {
		const token = ward.token(ward.duka, "admin");
		expect(await ward.call({ url: me("duka"), token })).toMatchObject({ status: 200 });
		expect(await ward.call({ url: config("duka"), token })).toMatchObject({ status: 200 });
		const before = await rows("select * from service_config where tenant_id = $1 order by key", [
			ward.duka.id,
		]);
		const { status, body } = await ward.call({
			url: config("duka"),
			token,
			...change,
			body: { key: "sneaky", value: 1 },
		});
		expect({ status, code: body.code, upgrade: body.upgrade, error: typeof body.error }).toEqual({
			status: 403,
			code: "subscription_inactive",
			upgrade: true,
			error: "string",
		});
		expect(
			await rows("select * from service_config where tenant_id = $1 order by key", [ward.duka.id]),
		).toEqual(before);
	});

	test("the same applies to a key of that tenant", async () => {
		const headers = { "x-api-key": await ward.key(ward.duka, ["hospital.config.manage"]) };
		expect(await ward.call({ url: config("duka"), headers, ...change })).toMatchObject({
			status: 403,
			body: { upgrade: true },
		});
	});

	test("a tenant without a record has no subscription", async () => {
		const bare = testTenant("bare");
		ward.issuer.tenants.push(bare);
		expect(
			await ward.call({ url: config("bare"), token: ward.token(bare, "admin"), ...change }),
		).toMatchObject({
			status: 403,
			body: { code: "subscription_inactive" },
		});
	});

	test("while the subscription service is unavailable, mutations get 503 and reads are served", async () => {
		const fresh = testTenant("unasked");
		ward.issuer.tenants.push(fresh);
		ward.subscriptions.records.set(fresh.id, testSubscription(fresh.id));
		const token = ward.token(fresh, "admin", stale());
		ward.subscriptions.brokenWith = 500;
		const [refused, read] = [
			await ward.call({ url: config("unasked"), token, ...change }),
			await ward.call({ url: config("unasked"), token }),
		];
		ward.subscriptions.brokenWith = undefined;
		expect(refused).toMatchObject({ status: 503, body: { code: "entitlements_unavailable" } });
		expect(refused.body).not.toHaveProperty("upgrade");
		expect(read.status).toBe(200);
		expect(await ward.call({ url: config("unasked"), token, ...change })).toMatchObject({ status: 200 });
	});

	test("the subscription in a recent token is used without a request to the subscription service", async () => {
		const fresh = testTenant("claimed");
		ward.issuer.tenants.push(fresh);
		const before = ward.subscriptions.asked;
		const token = ward.token(fresh, "admin", {
			sub_plan: "GROWTH",
			sub_status: "TRIAL",
			sub_expires: nowSeconds() + 9_999,
		});
		expect(await ward.call({ url: config("claimed"), token, ...change })).toMatchObject({ status: 200 });
		expect(ward.subscriptions.asked).toBe(before);
	});
});

describe("authorization", () => {
	test.each(["staff", "member", "viewer"])(
		"a person with the role %s cannot view or change settings",
		async (role) => {
			const token = ward.token(ward.uhai, role);
			for (const request of [{ url: config("uhai") }, { url: config("uhai"), ...change }]) {
				const { status, body } = await ward.call({ ...request, token });
				expect({ status, error: body.error, code: body.code }).toEqual({
					status: 403,
					error: "forbidden",
					code: "forbidden",
				});
			}
		},
	);

	test("permissions in a token are ignored: the service's own tables decide", async () => {
		const token = ward.token(ward.uhai, "member", {
			permissions: everything,
		});
		expect(await ward.call({ url: config("uhai"), token })).toMatchObject({
			status: 403,
			body: { error: "forbidden" },
		});
	});

	test.each(["not-a-uuid", "", randomUUID()])("X-Outlet-ID %j does not fail a request", async (outlet) => {
		const headers = { "x-outlet-id": outlet };
		expect(
			await ward.call({ url: me("uhai"), token: ward.token(ward.uhai, "admin"), headers }),
		).toMatchObject({ status: 200 });
	});

	test("a person bound to one outlet cannot name another", async () => {
		const bound = {
			outlet_id: randomUUID(),
			outlet_code: "PH",
			outlet_use_case: "pharmacy",
			is_hq_user: false,
		};
		const token = ward.token(ward.uhai, "staff", bound);
		const at = (outlet: string) => ward.call({ url: me("uhai"), token, headers: { "x-outlet-id": outlet } });
		expect(await at(bound.outlet_id)).toMatchObject({ status: 200 });
		expect(await at(randomUUID())).toMatchObject({ status: 403, body: { code: "outlet_forbidden" } });
	});
});
