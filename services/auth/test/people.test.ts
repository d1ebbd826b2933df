import { inTenant } from "@lango/postgres";
import { beforeAll, expect, test } from "vitest";
import { openOffice, openSessions } from "./office.ts";
import {
	acceptedKey,
	codeOf,
	obtainCode,
	openBrowser,
	password,
	setUpSignOn,
	tradeCode,
	unknownId,
} from "./sign-on.ts";

const signOn = setUpSignOn(acceptedKey);
const office = openOffice(signOn);
let root: string;
beforeAll(async () => {
	root = await office.tokenOf("root@lango.example");
});

const ask = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) =>
	office.call(method, `/api/v1/admin/${path}`, { token: root, ...(body !== undefined && { body }) });

test("a disabled user loses access everywhere at once, and can sign in after being enabled", async () => {
	const firm = await office.found();
	const browser = openBrowser(signOn.app);
	await browser.signIn(firm.email);
	const code = await obtainCode(browser);
	expect((await ask("POST", `people/${firm.userId}/disable`)).json().status).toBe("disabled");
	expect((await ask("POST", `people/${firm.userId}/disable`)).statusCode).toBe(200);
	expect(codeOf(await office.signIn(firm.email))).toEqual([401, "invalid_credentials"]);
	expect((await tradeCode(signOn.app, code)).statusCode).toBe(400);
	expect((await signOn.me(firm.token)).statusCode).toBe(401);
	const members = `/api/v1/tenants/${firm.slug}/members`;
	expect(codeOf(await office.call("GET", members, { token: firm.token }))).toEqual([401, "session_ended"]);
	expect(await office.events("auth.user.disabled", firm.userId)).toHaveLength(1);
	expect((await ask("POST", `people/${firm.userId}/enable`)).json().status).toBe("active");
	expect((await office.signIn(firm.email)).statusCode).toBe(200);
	expect((await office.events("auth.user.updated", firm.userId)).at(-1)?.data).toMatchObject({
		status: "active",
		roles: ["admin"],
		version: 4,
	});
});

test("all sessions of a person with more sessions than a batch end, with an event for each", async () => {
	const firm = await office.found();
	await openSessions(signOn, { count: 1_001, email: firm.email, clientId: "console-ui" });
	expect((await ask("POST", `people/${firm.userId}/disable`)).statusCode).toBe(200);
	const events = (await office.events("auth.session.revoked")).filter(
		({ data }) => data.user_id === firm.userId,
	);
	expect(new Set(events.map(({ data }) => data.session_id)).size).toBe(1_002);
});

test("an erased person leaves an id and no personal data; a new person can use the address", async () => {
	const firm = await office.found();
	const { email, userId } = await office.join(firm.slug, { name: "Mwanaisha Bakari" });
	const token = await office.tokenOf(email);
	await office.call("POST", `/api/v1/tenants/${firm.slug}/invitations`, {
		token: firm.token,
		body: { email, roles: ["viewer"] },
	});
	expect((await ask("DELETE", `people/${userId}`)).statusCode).toBe(204);
	expect((await signOn.me(token)).statusCode).toBe(401);
	expect((await office.signIn(email)).statusCode).toBe(401);
	const deleted = await office.events("auth.user.deleted", userId);
	expect(deleted).toMatchObject([{ data: { user_id: userId } }]);
	const found = (await ask("GET", "people?status=deleted")).json().items;
	expect(found).toContainEqual(
		expect.objectContaining({
			user_id: userId,
			email: "",
			name: "",
			status: "deleted",
			primary_tenant_id: null,
		}),
	);
	for (const table of ["users", "credentials", "browser_sessions", "one_time_links", "outbox"])
		expect(
			await signOn.db.query(`select 1 from ${table} t where t::text like $1 or t::text like '%Mwanaisha%'`, [
				`%${email}%`,
			]),
			table,
		).toEqual([]);
	const shown = await office.call("GET", `/api/v1/tenants/${firm.slug}/invitations`, { token: firm.token });
	expect(shown.body).not.toContain(email);
	const rows = (await office.audit(firm.slug, firm.token)).filter((row) => row.actor_user_id === userId);
	expect(rows).toMatchObject([{ action: "member.joined", ip: null }]);
	expect(JSON.stringify(rows)).not.toContain(email);
	expect(codeOf(await ask("DELETE", `people/${userId}`))).toEqual([404, "user_not_found"]);
	expect(codeOf(await ask("POST", `people/${userId}/enable`))).toEqual([404, "user_not_found"]);
	const again = await office.register({ email, org_action: "join_existing", tenant_slug: firm.slug });
	expect(again.json().user.id).not.toBe(userId);
});

/** The tables that have a row of a person, in a tenant or outside of tenants. */
async function tablesWith({ userId, tenantId }: { userId: string; tenantId: string }): Promise<string[]> {
	const tables = await signOn.db.query<{ name: string }>(
		`select table_name::text as name from information_schema.columns
		  where table_schema = 'public' and column_name = 'user_id' order by 1`,
	);
	return inTenant(signOn.db, tenantId, async (tx) => {
		const found: string[] = [];
		for (const { name } of tables) {
			const rows = await tx.query(`select user_id from ${name} where user_id = $1`, [userId]);
			if (rows.length > 0) found.push(name);
		}
		return found;
	});
}

test("no table has a row of an erased person", async () => {
	const firm = await office.found();
	const browser = openBrowser(signOn.app);
	await browser.signIn(firm.email);
	await obtainCode(browser);
	expect(await tablesWith(firm)).toEqual([
		"authorization_codes",
		"browser_sessions",
		"credentials",
		"last_devices",
		"memberships",
		"one_time_links",
		"sessions",
	]);
	expect((await ask("DELETE", `people/${firm.userId}`)).statusCode).toBe(204);
	expect(await tablesWith(firm)).toEqual([]);
});

test("the last superuser cannot be disabled or erased; of two who disable each other at the same time one stays", async () => {
	const [self] = (await ask("GET", "people?email=root@lango.example")).json().items;
	expect(codeOf(await ask("POST", `people/${self.user_id}/disable`))).toEqual([409, "last_admin"]);
	expect(codeOf(await ask("DELETE", `people/${self.user_id}`))).toEqual([409, "last_admin"]);
	const email = "deputy@lango.example";
	const invited = await office.call("POST", "/api/v1/tenants/lango/invitations", {
		token: root,
		body: { email, roles: ["superuser"] },
	});
	const deputy = await office.register({
		email,
		org_action: "join_existing",
		invitation: invited.json().token,
		password,
	});
	const token = await office.tokenOf(email);
	const answers = await Promise.all([
		ask("POST", `people/${deputy.json().user.id}/disable`),
		office.call("POST", `/api/v1/admin/people/${self.user_id}/disable`, { token }),
	]);
	expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
	await signOn.db.query("update users set status = 'active' where id = $1", [self.user_id]);
	root = await office.tokenOf("root@lango.example");
});

test.each(["", "/disable", "/enable"])("a person who never was is not found: people/…%s", async (verb) => {
	expect(codeOf(await ask(verb === "" ? "GET" : "POST", `people/${unknownId}${verb}`))).toEqual([
		404,
		"user_not_found",
	]);
});
