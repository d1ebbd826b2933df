import { hashPassword } from "@lango/passwords";
import pg from "pg";
import { beforeEach, expect, test } from "vitest";
import { type Firm, fresh, openOffice } from "./office.ts";
import { claimsOf, password, setUpSignOn } from "./sign-on.ts";
import { statementWaits } from "./waiting.ts";

// what changes between the moment a password is proved and the moment its session is recorded

const signOn = setUpSignOn();
const office = openOffice(signOn);
let firm: Firm;
beforeEach(async () => {
	firm = await office.found();
});

const sessions = async () => {
	const [row] = await signOn.db.query<{ count: number }>(
		`select (select count(*) from browser_sessions where user_id = $1 and ended_at is null)::int
		   + (select count(*) from list_user_sessions($1, null, $2, null, null, 100))::int as count`,
		[firm.userId, signOn.now.at],
	);
	return row?.count;
};

/** Signs in while somebody's change is in progress that is seen only once the password is proved. */
async function signInDuring(change: string, values: readonly unknown[], { locksPerson = false } = {}) {
	const other = new pg.Client({ connectionString: signOn.ownerUrl });
	await other.connect();
	try {
		await other.query(`begin; set local app.tenant_id = '${firm.tenantId}'`);
		if (locksPerson) await other.query("select from users where id = $1 for no key update", [firm.userId]);
		const { rowCount } = await other.query(change, [...values]);
		expect(rowCount).toBe(1);
		const signingIn = office.signIn(firm.email);
		await statementWaits(signOn.db, "for share of t for no key update of u");
		await other.query("commit");
		return await signingIn;
	} finally {
		await other.end();
	}
}

test("a concurrently changed password prevents sign-in with the old one", async () => {
	const before = await sessions();
	const response = await signInDuring("update credentials set secret = $2 where user_id = $1", [
		firm.userId,
		await hashPassword("Tembo-na-Simba-77"),
	]);
	expect([response.statusCode, response.json().code]).toEqual([401, "invalid_credentials"]);
	expect(response.cookies).toEqual([]);
	expect(await sessions()).toBe(before);
});

test("the same password with a concurrently renewed hash still signs in", async () => {
	const response = await signInDuring("update credentials set secret = $2 where user_id = $1", [
		firm.userId,
		await hashPassword(password),
	]);
	expect(response.statusCode).toBe(200);
});

test("a concurrently disabled user gets no session", async () => {
	const before = await sessions();
	const change = "update users set status = 'disabled' where id = $1";
	const response = await signInDuring(change, [firm.userId]);
	expect([response.statusCode, response.json().code]).toEqual([401, "invalid_credentials"]);
	expect(await sessions()).toBe(before);
});

test("a concurrently removed member gets no session", async () => {
	const before = await sessions();
	const change = "update memberships set status = 'removed' where tenant_id = $1 and user_id = $2";
	// As every change of a membership does.
	const response = await signInDuring(change, [firm.tenantId, firm.userId], { locksPerson: true });
	expect([response.statusCode, response.json().code]).toEqual([401, "invalid_credentials"]);
	expect(await sessions()).toBe(before);
});

test("a sign-in to a concurrently suspended tenant fails", async () => {
	const before = await sessions();
	const change = "update tenants set status = 'suspended' where id = $1";
	const response = await signInDuring(change, [firm.tenantId]);
	expect([response.statusCode, response.json().code]).toEqual([403, "tenant_inactive"]);
	expect(await sessions()).toBe(before);
});

test("the tokens contain the state after a concurrent change, not before it", async () => {
	const change = "update users set name = 'Zuri Otieno' where id = $1";
	const response = await signInDuring(change, [firm.userId]);
	expect(claimsOf(response.json().access_token).name).toBe("Zuri Otieno");
});

test("of sign-ins concurrent with a change of the password only its own session stays", async () => {
	const body = { current_password: password, new_password: "Tembo-na-Simba-77" };
	const change = () => office.call("POST", "/api/v1/auth/password/change", { token: firm.token, body });
	const [changed] = await Promise.all([
		change(),
		...Array.from({ length: 8 }, () => office.signIn(firm.email)),
	]);
	expect(changed?.statusCode).toBe(200);
	const page = await office.call("GET", "/api/v1/auth/sessions", { token: firm.token });
	expect(page.json().items).toMatchObject([{ is_current: true }]);
	expect(await sessions()).toBe(2);
});

test("of sign-ins concurrent with a change of the password and a disabling none deadlocks, and none stays", async () => {
	const root = await office.tokenOf("root@lango.example");
	const answers = await Promise.all([
		...Array.from({ length: 6 }, () => office.signIn(firm.email)),
		office.call("POST", "/api/v1/auth/password/change", {
			token: firm.token,
			body: { current_password: password, new_password: "Tembo-na-Simba-77" },
		}),
		office.call("POST", `/api/v1/admin/people/${firm.userId}/disable`, { token: root }),
	]);
	for (const { statusCode } of answers) expect([200, 401]).toContain(statusCode);
	expect(answers.at(-1)?.statusCode).toBe(200);
	expect(await sessions()).toBe(0);
});

test("sign-ins concurrent with changes of their tenant, its members and their people do not deadlock", async () => {
	const root = await office.tokenOf("root@lango.example");
	const call = (method: "POST" | "PUT" | "PATCH", path: string, body: object) =>
		office.call(method, `/api/v1/${path}`, { token: firm.token, body });
	await call("PATCH", `tenants/${firm.slug}/settings`, { join_policy: "open" });
	const joined = await office.join(firm.slug);
	const members = `tenants/${firm.slug}/members`;
	const organization = { name: "Mto Traders", slug: fresh("mto"), org_size: "1-10", use_case: "retail" };
	const answers = await Promise.all([
		...[firm, joined, firm, joined, firm, joined].map(({ email }) => office.signIn(email)),
		office.register({ org_action: "join_existing", tenant_slug: firm.slug }),
		call("POST", "tenants", { organization }),
		call("PATCH", `tenants/${firm.slug}/settings`, { join_policy: "approval" }),
		call("PUT", `${members}/${joined.userId}/roles`, { roles: ["viewer"] }),
		call("PATCH", "auth/me", { locale: "sw" }),
		call("POST", "auth/password/reset-request", { email: joined.email }),
		office.call("POST", `/api/v1/admin/people/${joined.userId}/disable`, { token: root }),
	]);
	for (const { statusCode, body } of answers) expect([200, 201, 202, 204, 401], body).toContain(statusCode);
});
