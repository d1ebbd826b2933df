import { randomUUID } from "node:crypto";
import { acrossTenants } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { openWard } from "./ward.ts";

const ward = setUp(openWard);

const me = (slug: string) => `/api/v1/${slug}/hospital/auth/me`;
const config = (slug: string) => `/api/v1/${slug}/hospital/config`;
const change = { method: "PUT", body: { key: "theme", value: "dark" } } as const;
const rows = <R extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
	acrossTenants(ward.database.db, (tx) => tx.query<R>(text, values));

describe("the platform owner", () => {
	test("can access any tenant without its subscription and permissions, with an audit row each time", async () => {
		const sub = randomUUID();
		const token = ward.token(ward.lango, "superuser", { sub });
		expect(await ward.call({ url: config("duka"), token, ...change })).toMatchObject({ status: 200 });
		const passes = await rows(
			"select tenant_id, subject, detail, address from audit_log where actor_id = $1 and action = 'access.passed'",
			[sub],
		);
		expect(passes).toEqual([
			{
				tenant_id: ward.duka.id,
				subject: "PUT /api/v1/:tenant/hospital/config",
				detail: { passed: ["tenant", "subscription", "permission"] },
				address: "127.0.0.1",
			},
		]);
		expect(await rows("select tenant_id from users where auth_service_user_id = $1", [sub])).toEqual([
			{ tenant_id: ward.lango.id },
		]);
	});

	test("names a tenant by tenantId under the platform's path, and must name one for changes and settings", async () => {
		const token = ward.token(ward.lango, "superuser");
		const required = { status: 400, body: { code: "tenant_required" } };
		expect(await ward.call({ url: config("lango"), token })).toMatchObject(required);
		expect(await ward.call({ url: config("lango"), token, ...change })).toMatchObject(required);
		expect(await ward.call({ url: me("lango"), token })).toMatchObject({
			status: 200,
			body: { service_role: "hospital_admin" },
		});
		const chosen = `${config("lango")}?tenantId=${ward.kahawa.id}`;
		expect(
			await ward.call({ url: chosen, token, method: "PUT", body: { key: "till", value: 3 } }),
		).toMatchObject({ status: 200 });
		const { body } = await ward.call({ url: config("kahawa"), token: ward.token(ward.kahawa, "admin") });
		expect(body.items).toContainEqual({ key: "till", value: 3, source: "tenant" });
		expect(await ward.call({ url: `${config("lango")}?tenantId=${randomUUID()}`, token })).toMatchObject({
			status: 404,
		});
	});

	test("a superuser of another tenant is exempt from permissions and subscription, and cannot find other tenants", async () => {
		const token = ward.token(ward.duka, "superuser");
		expect(await ward.call({ url: config("duka"), token, ...change })).toMatchObject({ status: 200 });
		expect(await ward.call({ url: config("uhai"), token })).toMatchObject({ status: 404 });
	});
});
