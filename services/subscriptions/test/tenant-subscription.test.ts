import { randomUUID } from "node:crypto";
import { Subscription } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { mintApiKey } from "@lango/tokens";
import Schema from "typebox/schema";
import { beforeEach, describe, expect, test } from "vitest";
import { recordSubscription } from "../src/demo.store.ts";
import { daysAfter, noon, setUpService } from "./test-service.ts";

const service = setUpService();
let tenantId: string;

const ask = (headers: Record<string, string>, id = tenantId) =>
	service.app.inject({ method: "GET", url: `/api/v1/tenants/${id}/subscription`, headers });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const byKey = () => ({ "x-api-key": service.apiKey });

beforeEach(async () => {
	service.clock.now = noon;
	tenantId = randomUUID();
	await recordSubscription(service.db, {
		tenantId,
		plan: "STARTER",
		addOns: ["pos"],
		trial: { startedAt: noon, endsAt: daysAfter(14) },
		period: null,
		expiresAt: daysAfter(14),
		graceUntil: daysAfter(21),
		isRenewed: true,
	});
});

describe("a tenant's subscription", () => {
	test("is returned completely to a service with an API key", async () => {
		const answer = await ask(byKey());
		expect(answer.statusCode).toBe(200);
		expect(answer.json()).toEqual({
			tenant_id: tenantId,
			status: "TRIAL",
			plan: "STARTER",
			features: ["customer_portal"],
			limits: { max_admins: 1, max_orders_per_day: 100, max_emails_per_day: 200, max_riders: 0 },
			products: ["ordering", "pos", "auth"],
			expires_at: "2026-03-15T12:00:00.000Z",
			expiry: 1_773_576_000,
			access: "full",
			grace_until: null,
			trial_end: "2026-03-15T12:00:00.000Z",
			pending_change: null,
			version: 1,
			next_change_at: "2026-03-15T12:00:00.000Z",
		});
		expect(Schema.Compile(Subscription).Check(answer.json())).toBe(true);
	});

	test("is returned to every member of the tenant, with the id in any case", async () => {
		const token = service.tokenOf(tenantId, { roles: ["viewer"] });
		expect((await ask(bearer(token))).json()).toMatchObject({ plan: "STARTER" });
		expect((await ask(bearer(token), tenantId.toUpperCase())).json()).toMatchObject({ tenant_id: tenantId });
	});

	test("is returned to a superuser of the platform owner, for any tenant", async () => {
		const token = service.tokenOf(randomUUID(), { roles: ["superuser"], tenant_slug: "lango" });
		expect((await ask(bearer(token))).json()).toMatchObject({ plan: "STARTER" });
	});

	test("changes by time alone, without a job", async () => {
		service.clock.now = daysAfter(14);
		expect((await ask(byKey())).json()).toMatchObject({
			status: "EXPIRED",
			access: "grace",
			features: ["customer_portal"],
			next_change_at: daysAfter(21).toISOString(),
		});
		service.clock.now = daysAfter(21);
		expect((await ask(byKey())).json()).toMatchObject({
			status: "EXPIRED",
			access: "read_only",
			features: [],
			products: ["ordering", "pos", "auth"],
			next_change_at: null,
		});
	});

	test("shows a pending change, and follows it at its time", async () => {
		await inTenant(service.db, tenantId, (tx) =>
			tx.query(
				`update subscriptions set version = 2, pending_from = $2,
				        pending_plan_version_id = (select id from plan_versions where plan_code = 'GROWTH' order by version desc limit 1)
				  where tenant_id = $1`,
				[tenantId, daysAfter(3)],
			),
		);
		expect((await ask(byKey())).json()).toMatchObject({
			plan: "STARTER",
			version: 2,
			pending_change: { plan: "GROWTH", effective_at: daysAfter(3).toISOString() },
			next_change_at: daysAfter(3).toISOString(),
		});
		service.clock.now = daysAfter(3);
		expect((await ask(byKey())).json()).toMatchObject({
			plan: "GROWTH",
			pending_change: null,
			limits: { max_riders: 15 },
			products: ["ordering", "logistics", "treasury", "pos", "notifications", "auth"],
		});
	});
});

describe("an ETag", () => {
	test("is not sent again while it is unchanged, for weak tags and lists, too", async () => {
		const { headers } = await ask(byKey());
		const etag = String(headers.etag);
		for (const sent of [etag, `W/${etag}`, `"x", ${etag}`]) {
			const answer = await ask({ ...byKey(), "if-none-match": sent });
			expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, "", etag]);
		}
	});

	test("differs once time has changed the state", async () => {
		const { headers } = await ask(byKey());
		service.clock.now = daysAfter(14);
		const answer = await ask({ ...byKey(), "if-none-match": String(headers.etag) });
		expect(answer.statusCode).toBe(200);
		expect(answer.headers.etag).not.toBe(headers.etag);
	});

	test("can be cached by browsers only with revalidation, and by no proxy", async () => {
		expect((await ask(byKey())).headers["cache-control"]).toBe("private, no-cache");
	});

	test("is refused without a credential, also with an ETag", async () => {
		const { headers } = await ask(byKey());
		expect((await ask({ "if-none-match": String(headers.etag) })).statusCode).toBe(401);
	});
});

describe("refused", () => {
	test("a tenant without a subscription is 404 no_subscription, for members and services", async () => {
		const bare = randomUUID();
		for (const headers of [byKey(), bearer(service.tokenOf(bare))]) {
			const answer = await ask(headers, bare);
			expect([answer.statusCode, answer.json().code]).toEqual([404, "no_subscription"]);
		}
	});

	test("another tenant is not found, exactly like one that does not exist", async () => {
		const headers = {
			...bearer(service.tokenOf(randomUUID(), { roles: ["admin"] })),
			"x-request-id": "same",
		};
		const [other, missing] = [await ask(headers), await ask(headers, randomUUID())];
		expect([other.statusCode, other.json()]).toEqual([missing.statusCode, missing.json()]);
		expect([other.statusCode, other.json().code]).toEqual([404, "tenant_not_found"]);
	});

	test("a superuser of another tenant than the platform owner is an ordinary caller", async () => {
		const token = service.tokenOf(randomUUID(), { roles: ["superuser"], tenant_slug: "acme" });
		expect((await ask(bearer(token))).json()).toMatchObject({ code: "tenant_not_found" });
	});

	test("a member of the platform owner without the role superuser is an ordinary caller", async () => {
		const token = service.tokenOf(randomUUID(), { roles: ["admin"], tenant_slug: "lango" });
		expect((await ask(bearer(token))).json()).toMatchObject({ code: "tenant_not_found" });
	});

	test("a client's own token is not a member of any tenant", async () => {
		const answer = await ask(bearer(service.issuer.token({ client_id: "demo-backend", idtyp: "app" })));
		expect([answer.statusCode, answer.json().code]).toEqual([404, "tenant_not_found"]);
	});

	test.each(["pending", "pending_review"])("a member with the status %s is refused", async (user_status) => {
		const answer = await ask(bearer(service.tokenOf(tenantId, { user_status })));
		expect([answer.statusCode, answer.json().code]).toEqual([403, "account_pending"]);
	});

	test("an id that is not a UUID is an error of the address, naming it", async () => {
		const answer = await ask(byKey(), "uhai");
		expect([answer.statusCode, answer.json().code, answer.json().field]).toEqual([
			400,
			"invalid_input",
			"tenant_id",
		]);
	});

	test("a request without a credential is 401 with the scheme and without an error", async () => {
		const answer = await ask({});
		expect([answer.statusCode, answer.json().code]).toEqual([401, "token_invalid"]);
		expect(answer.headers["www-authenticate"]).toBe('Bearer realm="lango"');
	});

	test.each<[string, () => string]>([
		["garbage", () => "Bearer abc"],
		["another scheme", () => "Basic YTpi"],
		["no token at all", () => "Bearer "],
		["an expired token", () => `Bearer ${service.tokenOf(tenantId, { iat: 1, exp: 2 })}`],
		[
			"a token of another issuer",
			() => `Bearer ${service.tokenOf(tenantId, { iss: "https://elsewhere.example" })}`,
		],
		["a token for another audience", () => `Bearer ${service.tokenOf(tenantId, { aud: "elsewhere" })}`],
		["a token whose subject is not a UUID", () => `Bearer ${service.tokenOf(tenantId, { sub: "root" })}`],
		["a token whose tenant is not a UUID", () => `Bearer ${service.tokenOf("acme")}`],
		["an id token", () => `Bearer ${service.issuer.token({ tenant_id: tenantId }, { typ: "JWT" })}`],
	])("%s as credential: 401 token_invalid", async (_what, authorization) => {
		const answer = await ask({ authorization: authorization() });
		expect([answer.statusCode, answer.json().code]).toEqual([401, "token_invalid"]);
		expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
	});

	test.each<[string, () => string]>([
		["an unknown key", () => mintApiKey().text],
		[
			"the right id with another secret",
			() => `${service.apiKey.slice(0, "lk_".length + 16)}_${"x".repeat(43)}`,
		],
		["garbage", () => "secret"],
		["nothing", () => ""],
	])("%s as API key: 401 api_key_invalid", async (_what, key) => {
		const answer = await ask({ "x-api-key": key() });
		expect([answer.statusCode, answer.json().code]).toEqual([401, "api_key_invalid"]);
	});

	test("a token and a key together are 400", async () => {
		const answer = await ask({ ...byKey(), ...bearer(service.tokenOf(tenantId)) });
		expect([answer.statusCode, answer.json().field]).toEqual([400, "x-api-key"]);
	});

	test("another method is 405 with the allowed ones", async () => {
		const answer = await service.app.inject({
			method: "DELETE",
			url: `/api/v1/tenants/${tenantId}/subscription`,
		});
		expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET, HEAD, POST"]);
	});

	test("when the issuer's keys are unavailable the response is 503, not a statement about the token", async () => {
		const other = await service.again({ AUTH_JWKS_URL: "http://127.0.0.1:1/keys" });
		try {
			const answer = await other.app.inject({
				url: `/api/v1/tenants/${tenantId}/subscription`,
				headers: bearer(service.tokenOf(tenantId)),
			});
			expect([answer.statusCode, answer.json().code]).toEqual([503, "unavailable"]);
			expect(answer.headers["retry-after"]).toBe("5");
		} finally {
			await other.close();
		}
	});
});
