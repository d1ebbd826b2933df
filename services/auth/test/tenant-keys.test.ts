import { acrossTenants, inTenant, listKeysWithoutTenant, violatedConstraint } from "@lango/postgres";
import { expect, test } from "vitest";
import { listAllAudit, recordAudit } from "../src/audit/audit.store.ts";
import { claimsOf, obtainCode, obtainTokens, openBrowser, setUpSignOn, tradeCode } from "./sign-on.ts";

const signOn = setUpSignOn();

/** Tables with a tenant whose keys do not all carry it, each with the reason. */
const exempt: Readonly<Record<string, string>> = {
	tenant_slugs: "it leads from a slug to its tenant: a slug is unique among all tenants, for ever",
};

test("keys of tables with a tenant carry it", async () => {
	const tables = (await listKeysWithoutTenant(signOn.db)).map((line) => line.split(":")[0]);
	expect([...new Set(tables)]).toEqual(Object.keys(exempt));
});

test("the database refuses a reference to an outlet or a session of another tenant", async () => {
	const { access_token } = await obtainTokens(signOn.app, "nurse@uhai.example");
	const { sid, sub, tenant_id: tenantId } = claimsOf(access_token);
	const [foreign] = Object.values(await signOn.outletsOf("kahawa"));
	const violating = (tenant: unknown, statement: string, values: unknown[]) =>
		inTenant(signOn.db, String(tenant), (tx) => tx.query(statement, values)).catch(violatedConstraint);
	expect(
		await violating(tenantId, "update sessions set outlet_id = $3 where tenant_id = $1 and id = $2", [
			tenantId,
			sid,
			foreign,
		]),
	).toBe("sessions__outlet_id_fkey");
	expect(
		await violating(
			tenantId,
			"insert into membership_outlets (tenant_id, user_id, outlet_id) values ($1, $2, $3)",
			[tenantId, sub, foreign],
		),
	).toBe("membership_outlets__outlet_id_fkey");
	const other = signOn.tenants.get("kahawa");
	expect(
		await violating(
			other,
			`insert into one_time_tokens (token_hash, kind, tenant_id, user_id, session_id, expires_at)
			 values ('\\x00', 'sso_exchange', $1, $2, $3, now())`,
			[other, sub, sid],
		),
	).toBe("one_time_tokens__session_id_fkey");
});

/** The same secret with another tenant. */
const atAnotherTenant = (value: string) =>
	value.replace(/\.(.)([\w-]{21})$/, (_, first, rest) => `.${first === "A" ? "B" : "A"}${rest}`);

test("a code or an exchange token is not found at another tenant than its own, and stays good at its own", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("nurse@uhai.example");
	const { code, verifier } = await obtainCode(browser);
	const refused = await tradeCode(signOn.app, { code: atAnotherTenant(code), verifier });
	expect(refused.json()).toMatchObject({
		error: "invalid_grant",
		error_description: "The code is not valid.",
	});
	const traded = await tradeCode(signOn.app, { code, verifier });
	expect(traded.statusCode).toBe(200);

	const { ssoExchangeToken: token } = traded.json<{ ssoExchangeToken: string }>();
	const { WARD: outletId } = await signOn.outletsOf("uhai");
	const select = async (ssoExchangeToken: string) => {
		const payload = { ssoExchangeToken, outletId };
		return (await signOn.app.inject({ method: "POST", url: "/api/v1/auth/select-outlet", payload }))
			.statusCode;
	};
	expect([await select(atAnotherTenant(token)), await select(token)]).toEqual([401, 200]);
});

test("an entry about the platform has the nil UUID as its tenant, belongs to no customer, and is listed with null", async () => {
	signOn.now.forward(1);
	const origin = { actorUserId: undefined, ip: undefined, requestId: undefined, now: signOn.now.at };
	await recordAudit(signOn.db, origin, { action: "keys.rotated", subject: "signing_keys" });
	const stored = await acrossTenants(signOn.db, (tx) =>
		tx.query("select tenant_id from audit_log where subject = 'signing_keys'"),
	);
	expect(stored).toEqual([{ tenant_id: "00000000-0000-0000-0000-000000000000" }]);
	const { items } = await listAllAudit(signOn.db, { after: undefined, limit: 1 });
	expect(items).toMatchObject([{ subject: "signing_keys", tenant_id: null }]);
	const ofTenant = "select from audit_log where subject = 'signing_keys'";
	expect(await inTenant(signOn.db, String(signOn.tenants.get("uhai")), (tx) => tx.query(ofTenant))).toEqual(
		[],
	);
	expect(
		await signOn.db
			.query(
				"insert into tenants (id, slug, name) values ('00000000-0000-0000-0000-000000000000', 'nil', 'Nil')",
			)
			.catch(violatedConstraint),
	).toBe("tenants__id_not_nil");
});
