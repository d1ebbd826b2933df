import { inTenant, listKeysWithoutTenant } from "@lango/postgres";
import { expect, test } from "vitest";
import { claimsOf, obtainTokens, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();

/** Tables with a tenant whose keys do not all carry it, each with the reason. */
const exempt: Readonly<Record<string, string>> = {
	audit_log: "entries about the platform have no tenant",
	authorization_codes: "found by a value that does not carry the tenant yet",
	invitations: "found by a value that does not carry the tenant yet",
	one_time_tokens: "found by a value that does not carry the tenant yet",
	sessions: "found by an id that does not carry the tenant yet",
	tenant_slugs: "it leads from a slug to its tenant: a slug is unique among all tenants, for ever",
};

test("keys of tables with a tenant carry it", async () => {
	const tables = (await listKeysWithoutTenant(signOn.db)).map((line) => line.split(":")[0]);
	expect([...new Set(tables)]).toEqual(Object.keys(exempt));
});

test("the database refuses a reference to an outlet of another tenant", async () => {
	const { access_token } = await obtainTokens(signOn.app, "nurse@uhai.example");
	const { sid, sub, tenant_id: tenantId } = claimsOf(access_token);
	const [foreign] = Object.values(await signOn.outletsOf("kahawa"));
	const writing = (statement: string, values: unknown[]) =>
		inTenant(signOn.db, String(tenantId), (tx) => tx.query(statement, values));
	await expect(
		writing("update sessions set outlet_id = $2 where id = $1", [sid, foreign]),
	).rejects.toMatchObject({ constraint: "sessions__outlet_id_fkey" });
	await expect(
		writing("insert into membership_outlets (tenant_id, user_id, outlet_id) values ($1, $2, $3)", [
			tenantId,
			sub,
			foreign,
		]),
	).rejects.toMatchObject({ constraint: "membership_outlets__outlet_id_fkey" });
});
