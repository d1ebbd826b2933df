import { inTenant } from "@lango/postgres";
import { beforeAll, expect, test } from "vitest";
import { type Firm, openOffice } from "./office.ts";
import { claimsOf, obtainCode, obtainTokens, openBrowser, setUpSignOn, tradeCode } from "./sign-on.ts";

// people who wait for approval, and people who were removed

const signOn = setUpSignOn();
const office = openOffice(signOn);
let firm: Firm;
beforeAll(async () => {
	firm = await office.found();
	for (const code of ["A", "B"])
		await office.call("POST", `/api/v1/tenants/${firm.slug}/outlets`, {
			token: firm.token,
			body: { code, name: code, use_case: "retail" },
		});
});

/** Somebody of the headquarters, with outlets too, who waits for approval. */
async function waiting() {
	const joined = await office.join(firm.slug);
	const key = [firm.tenantId, joined.userId];
	await inTenant(signOn.db, firm.tenantId, async (tx) => {
		await tx.query("update memberships set is_hq = true where tenant_id = $1 and user_id = $2", key);
		await tx.query(
			"insert into membership_outlets (tenant_id, user_id, outlet_id) select tenant_id, $2, id from outlets where tenant_id = $1",
			key,
		);
	});
	return joined;
}

test("a pending user is not a headquarters member and selects no outlet", async () => {
	const { email } = await waiting();
	const tokens = await obtainTokens(signOn.app, email);
	expect(tokens.requiresOutletSelection).toBeUndefined();
	expect(claimsOf(tokens.access_token)).toMatchObject({
		is_hq_user: false,
		outlet_id: "",
		roles: [],
		user_status: "pending_review",
	});
	const me = await signOn.me(tokens.access_token);
	expect(me.json()).toMatchObject({ is_hq_user: false, outlet_id: "", status: "pending_review" });
});

test("a pending user cannot select an outlet, also with an earlier token", async () => {
	const { email } = await waiting();
	const { access_token: token } = await obtainTokens(signOn.app, email);
	const { ssoExchangeToken } = (await office.call("POST", "/api/v1/auth/outlet-exchange", { token })).json();
	const [outlet] = (await office.call("GET", `/api/v1/tenants/${firm.slug}/outlets`)).json();
	const refused = await office.call("POST", "/api/v1/auth/select-outlet", {
		body: { ssoExchangeToken, outletId: outlet.id },
	});
	expect([refused.statusCode, refused.json().code]).toEqual([403, "outlet_forbidden"]);
});

test("a pending user can read their identity and sign out", async () => {
	const { email, userId } = await waiting();
	const { access_token: token } = await obtainTokens(signOn.app, email);
	for (const method of ["GET", "POST"] as const) {
		const answer = await office.call(method, "/api/v1/userinfo", { token });
		expect([answer.statusCode, answer.json().sub]).toEqual([200, userId]);
	}
	const out = await office.call("POST", "/api/v1/auth/logout", { token });
	expect([out.statusCode, out.json()]).toEqual([200, { revoked: true }]);
	expect((await office.call("GET", "/api/v1/userinfo", { token })).statusCode).toBe(401);
});

const remove = (userId: string) =>
	office.call("DELETE", `/api/v1/tenants/${firm.slug}/members/${userId}`, { token: firm.token });
const approve = (userId: string) =>
	office.call("POST", `/api/v1/tenants/${firm.slug}/join-requests/${userId}/approve`, {
		token: firm.token,
		body: {},
	});
const codesOf = (userId: string) =>
	inTenant(signOn.db, firm.tenantId, (tx) =>
		tx.query<{ used_at: Date | null }>(
			"select used_at from authorization_codes where tenant_id = $1 and user_id = $2",
			[firm.tenantId, userId],
		),
	);

test("a removed member's unused codes and sessions in the tenant go with them", async () => {
	const { email, userId } = await office.join(firm.slug);
	await approve(userId);
	const tokens = await obtainTokens(signOn.app, email);
	const browser = openBrowser(signOn.app);
	await browser.signIn(email);
	const code = await obtainCode(browser);
	expect((await codesOf(userId)).map(({ used_at }) => used_at === null)).toContain(true);

	expect((await remove(userId)).statusCode).toBe(204);
	expect((await codesOf(userId)).map(({ used_at }) => used_at === null)).not.toContain(true);
	const traded = await tradeCode(signOn.app, code);
	expect([traded.statusCode, traded.json().error]).toEqual([400, "invalid_grant"]);
	for (const url of ["/api/v1/auth/me", "/api/v1/userinfo"])
		expect((await office.call("GET", url, { token: tokens.access_token })).statusCode).toBe(401);
});

test("auth/me refuses a token of a suspended tenant", async () => {
	const shut = await office.found();
	const { access_token: token } = await obtainTokens(signOn.app, shut.email);
	const within = (status: string) =>
		signOn.db.query("update tenants set status = $2 where id = $1", [shut.tenantId, status]);
	await within("suspended");
	for (const url of ["/api/v1/auth/me", "/api/v1/userinfo"])
		expect((await office.call("GET", url, { token })).statusCode).toBe(401);
	await within("active");
	expect((await office.call("GET", "/api/v1/userinfo", { token })).statusCode).toBe(200);
});
