import { randomUUID } from "node:crypto";
import { acrossTenants } from "@lango/postgres";
import { testSubscription, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { openWard } from "./ward.ts";

const ward = setUp(openWard);

const me = (slug: string) => `/api/v1/${slug}/hospital/auth/me`;
const config = (slug: string) => `/api/v1/${slug}/hospital/config`;
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const rows = <R extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
	acrossTenants(ward.database.db, (tx) => tx.query<R>(text, values));

describe("people and tenants just in time", () => {
	test("twenty parallel first requests at two replicas create one user", async () => {
		const sub = randomUUID();
		const token = ward.token(ward.uhai, "staff", { sub });
		const other = await ward.replica();
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_, index) =>
				ward.call({ url: me("uhai"), token, ...(index % 2 === 1 && { on: other }) }),
			),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
		expect(await rows("select sync_status from users where auth_service_user_id = $1", [sub])).toEqual([
			{ sync_status: "jit" },
		]);
	});

	test("a tenant unknown to the hospital is fetched once and served", async () => {
		const fresh = testTenant("newcomer");
		ward.issuer.tenants.push(fresh);
		ward.subscriptions.records.set(fresh.id, testSubscription(fresh.id));
		const token = ward.token(fresh, "admin");
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => ward.call({ url: me("newcomer"), token })),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
		expect(ward.issuer.asked.get("/api/v1/tenants/by-slug/newcomer")).toBe(1);
		expect(await rows("select id, status from tenants where slug = 'newcomer'")).toEqual([
			{ id: fresh.id, status: "active" },
		]);
	});

	test("the path can contain the tenant's id", async () => {
		expect(await ward.call({ url: me(ward.uhai.id), token: ward.token(ward.uhai, "admin") })).toMatchObject({
			status: 200,
		});
		const fresh = testTenant("by-id");
		ward.issuer.tenants.push(fresh);
		expect(
			await ward.call({ url: me(fresh.id.toUpperCase()), token: ward.token(fresh, "admin") }),
		).toMatchObject({ status: 200 });
	});

	test("a tenant unknown to the sign-on service is not found", async () => {
		const token = ward.token(testTenant("ghost"), "admin");
		expect(await ward.call({ url: me("ghost"), token })).toMatchObject({
			status: 404,
			body: { code: "tenant_not_found" },
		});
	});

	test("while the sign-on service is unavailable, unknown tenants get 503 and known ones are served", async () => {
		const fresh = testTenant("later");
		ward.issuer.tenants.push(fresh);
		await ward.call({ url: me("uhai"), token: ward.token(ward.uhai, "admin") });
		ward.issuer.brokenWith = 500;
		const [unknown, known] = [
			await ward.call({ url: me("later"), token: ward.token(fresh, "admin") }),
			await ward.call({ url: me("uhai"), token: ward.token(ward.uhai, "admin") }),
		];
		ward.issuer.brokenWith = undefined;
		expect(unknown).toMatchObject({
			status: 503,
			body: { code: "unavailable" },
			headers: { "retry-after": "5" },
		});
		expect(known.status).toBe(200);
	});

	test("a token with another id of a known tenant is refused, and the reason is logged", async () => {
		await ward.call({ url: me("uhai"), token: ward.token(ward.uhai, "admin") });
		const drifted = { ...ward.uhai, id: randomUUID() };
		for (const path of [me("uhai"), me(drifted.id)])
			expect(await ward.call({ url: path, token: ward.token(drifted, "admin") })).toMatchObject({
				status: 404,
				body: { code: "tenant_not_found" },
			});
		expect(
			ward.logged.filter((line) => line.includes("TenantDrifted") && line.includes(drifted.id)),
		).toHaveLength(2);
		expect(await rows("select id from tenants where slug = 'uhai'")).toEqual([{ id: ward.uhai.id }]);
	});

	test("a tenant that is not active is refused to its people and not found by others", async () => {
		const shut = testTenant("shut", { status: "suspended" });
		ward.issuer.tenants.push(shut);
		expect(await ward.call({ url: me("shut"), token: ward.token(shut, "admin") })).toMatchObject({
			status: 403,
			body: { code: "tenant_inactive" },
		});
		expect(await ward.call({ url: me("shut"), token: ward.token(ward.uhai, "admin") })).toMatchObject({
			status: 404,
		});
	});

	test("a person who waits for approval gets that error everywhere except at auth/me, and has no permissions", async () => {
		const sub = randomUUID();
		const waiting = { sub, user_status: "pending_review", roles: [] };
		const token = ward.token(ward.uhai, "member", waiting);
		const { status, body } = await ward.call({ url: me("uhai"), token });
		expect({ status, role: body.service_role, permissions: body.permissions }).toEqual({
			status: 200,
			role: null,
			permissions: [],
		});
		expect(await ward.call({ url: config("uhai"), token })).toMatchObject({
			status: 403,
			body: { code: "account_pending", user_status: "pending_review" },
		});
		const approved = ward.token(ward.uhai, "admin", { sub, user_status: "active", iat: nowSeconds() + 1 });
		expect(await ward.call({ url: config("uhai"), token: approved })).toMatchObject({ status: 200 });
	});
});
