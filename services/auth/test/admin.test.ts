import { inTenant } from "@lango/postgres";
import { beforeAll, expect, test } from "vitest";
import { openOffice } from "./office.ts";
import {
	acceptedKey,
	apiKey,
	claimsOf,
	codeOf,
	obtainCode,
	openBrowser,
	setUpSignOn,
	tradeCode,
	unknownId,
} from "./sign-on.ts";

const signOn = setUpSignOn(acceptedKey);
const office = openOffice(signOn);
let root: string;
beforeAll(async () => {
	root = await office.tokenOf("root@lango.example");
	for (let firms = 0; firms < 4; firms += 1) await office.found();
});

const ask = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) =>
	office.call(method, `/api/v1/admin/${path}`, { token: root, ...(body !== undefined && { body }) });

test("the role superuser has no effect in a customer's tenant", async () => {
	const firm = await office.found();
	await inTenant(signOn.db, firm.tenantId, (tx) =>
		tx.query("update memberships set roles = '{superuser}' where tenant_id = $1 and user_id = $2", [
			firm.tenantId,
			firm.userId,
		]),
	);
	const token = await office.tokenOf(firm.email);
	expect(codeOf(await office.call("GET", "/api/v1/admin/tenants", { token }))).toEqual([403, "forbidden"]);
	const elsewhere = await office.call("GET", "/api/v1/tenants/uhai/members", { token });
	expect(codeOf(elsewhere)).toEqual([404, "tenant_not_found"]);
});

test.each(["clients", "tenants", "people", "audit"])(
	"%s are listed page by page, each once",
	async (kind) => {
		const seen: string[] = [];
		let cursor: string | null = "";
		while (cursor !== null) {
			const answer = await ask("GET", `${kind}?limit=3${cursor && `&cursor=${cursor}`}`);
			const page: { items: Array<Record<string, string>>; next_cursor: string | null } = answer.json();
			expect(page.items.length).toBeLessThanOrEqual(3);
			seen.push(...page.items.map((one) => one.client_id ?? one.user_id ?? one.id ?? ""));
			cursor = page.next_cursor;
		}
		expect(new Set(seen).size).toBe(seen.length);
		expect(seen.length).toBeGreaterThan(3);
		expect(codeOf(await ask("GET", `${kind}?cursor=x`))).toEqual([400, "invalid_input"]);
	},
);

test("tenants are found by a part of their slug or name; case is ignored", async () => {
	const slugsOf = async (q: string) => {
		const { items } = (await ask("GET", `tenants?q=${encodeURIComponent(q)}`)).json();
		return items.map(({ slug }: { slug: string }) => slug);
	};
	expect(await slugsOf("HOSP")).toEqual(["uhai"]);
	expect(await slugsOf("afé")).toEqual(["kahawa"]);
	expect(await slugsOf("100%")).toEqual([]);
	expect((await slugsOf("")).length).toBeGreaterThan(3);
	const counted = (await ask("GET", "tenants?q=HOSP&limit=1&total=true")).json();
	expect(counted).toMatchObject({ items: [{ slug: "uhai" }], total: 1 });
});

test("tenants are found by status and by how their slug begins, people by their address", async () => {
	const { items } = (await ask("GET", "tenants?slug=uh")).json();
	expect(items).toMatchObject([
		{ slug: "uhai", status: "active", use_case: "services", join_policy: "approval" },
	]);
	const people = (await ask("GET", "people?email=ADMIN@uhai.example")).json().items;
	expect(people).toMatchObject([{ email: "admin@uhai.example", status: "active" }]);
	const one = (await ask("GET", `people/${people[0].user_id}`)).json();
	expect(one.memberships).toMatchObject([{ slug: "uhai", roles: ["admin"] }]);
});

test("a suspended tenant refuses sign-ins, ends every session and publishes it; after its resumption people can sign in", async () => {
	const firm = await office.found();
	const signedIn = (await office.signIn(firm.email)).json();
	const browser = openBrowser(signOn.app);
	await browser.signIn(firm.email);
	const code = await obtainCode(browser);
	const suspended = await ask("POST", `tenants/${firm.tenantId}/suspend`);
	expect(suspended.json()).toMatchObject({ id: firm.tenantId, status: "suspended" });

	expect(codeOf(await office.signIn(firm.email))).toEqual([403, "tenant_inactive"]);
	expect((await tradeCode(signOn.app, code)).statusCode).toBe(400);
	const refresh = { refresh_token: signedIn.refresh_token, client_id: "auth-ui" };
	expect((await office.call("POST", "/api/v1/auth/refresh", { body: refresh })).statusCode).toBe(401);
	expect((await signOn.me(firm.token)).statusCode).toBe(401);
	const settings = `/api/v1/tenants/${firm.slug}/settings`;
	expect(codeOf(await office.call("GET", settings, { token: firm.token }))).toEqual([401, "session_ended"]);
	expect(await office.events("tenant.suspended", firm.tenantId)).toMatchObject([
		{ data: { tenant_id: firm.tenantId, slug: firm.slug, version: 2 } },
	]);
	const sid = String(claimsOf(firm.token).sid);
	expect(await office.events("auth.session.revoked", sid)).toMatchObject([
		{ data: { because: "suspended" } },
	]);

	expect((await ask("POST", `tenants/${firm.tenantId}/resume`)).json().status).toBe("active");
	expect((await office.call("GET", settings, { token: firm.token })).statusCode).toBe(401);
	expect((await office.signIn(firm.email)).statusCode).toBe(200);
	expect(await office.events("tenant.updated", firm.tenantId)).toMatchObject([
		{ data: { status: "active", version: 3 } },
	]);
	const token = await office.tokenOf(firm.email);
	expect((await office.audit(firm.slug, token)).map(({ action }) => action)).toEqual([
		"tenant.resumed",
		"tenant.suspended",
		"tenant.created",
	]);
});

test("suspending twice, also at once, is one suspension", async () => {
	const firm = await office.found();
	const answers = await Promise.all([1, 2, 3].map(() => ask("POST", `tenants/${firm.tenantId}/suspend`)));
	expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
	expect(await office.events("tenant.suspended", firm.tenantId)).toHaveLength(1);
});

test("a renamed tenant answers by its new slug, and by its id to other services; people stay signed in", async () => {
	const firm = await office.found();
	const slug = `${firm.slug}-ltd`;
	const { refresh_token } = (await office.signIn(firm.email)).json();
	expect((await ask("PATCH", `tenants/${firm.tenantId}`, { slug })).json()).toMatchObject({ slug });
	expect((await office.call("GET", `/api/v1/tenants/by-slug/${firm.slug}`)).statusCode).toBe(404);
	expect((await office.call("GET", `/api/v1/tenants/by-slug/${slug}`)).json().id).toBe(firm.tenantId);
	const byId = await office.call("GET", `/api/v1/tenants/${firm.tenantId}`, { headers: apiKey });
	expect(byId.json()).toMatchObject({ id: firm.tenantId, slug });
	expect(await office.events("tenant.updated", firm.tenantId)).toMatchObject([
		{ data: { slug, previous_slug: firm.slug } },
	]);
	const body = { refresh_token, client_id: "auth-ui" };
	const refreshed = (await office.call("POST", "/api/v1/auth/refresh", { body })).json();
	expect(claimsOf(refreshed.access_token).tenant_slug).toBe(slug);
	const back = await ask("PATCH", `tenants/${firm.tenantId}`, { slug: firm.slug });
	expect(back.json()).toMatchObject({ slug: firm.slug });
});

test.each([
	["slug_taken", 409, "uhai"],
	["slug_reserved", 400, "admin"],
	["invalid_input", 400, "No Slug"],
])("renaming a tenant is refused with %s", async (code, ...[status, slug]) => {
	const firm = await office.found();
	const response = await ask("PATCH", `tenants/${firm.tenantId}`, { slug });
	expect(codeOf(response)).toEqual([status, code]);
	expect(response.json().field).toBe("slug");
});

test("another service asks for a tenant by its id with a key; an id that never was is not found", async () => {
	const id = signOn.tenants.get("uhai");
	const asked = (path: string, headers: object) => office.call("GET", `/api/v1/tenants/${path}`, { headers });
	const bySlug = (await office.call("GET", "/api/v1/tenants/by-slug/uhai")).json();
	expect((await asked(String(id), apiKey)).json()).toEqual(bySlug);
	expect(codeOf(await asked(unknownId, apiKey))).toEqual([404, "tenant_not_found"]);
	expect((await asked("uhai", apiKey)).json()).toMatchObject({ code: "invalid_input", field: "id" });
	expect((await asked(String(id), {})).statusCode).toBe(401);
	const forged = { "x-api-key": `lk_test5678_${"c".repeat(43)}` };
	expect(codeOf(await asked(String(id), forged))).toEqual([401, "api_key_invalid"]);
	expect(codeOf(await office.call("GET", `/api/v1/tenants/${id}`, { token: root }))).toEqual([
		403,
		"forbidden",
	]);
});

test("an erased tenant leaves its id, its slug and its audit rows, and nothing else", async () => {
	const firm = await office.found();
	const joined = await office.join(firm.slug);
	await office.call("POST", `/api/v1/tenants/${firm.slug}/invitations`, {
		token: firm.token,
		body: { email: "guest@guests.example", roles: ["viewer"] },
	});
	expect((await ask("DELETE", `tenants/${firm.tenantId}`)).statusCode).toBe(204);
	expect((await ask("DELETE", `tenants/${firm.tenantId}`)).statusCode).toBe(204);
	expect(await office.events("tenant.deleted", firm.tenantId)).toMatchObject([
		{ data: { tenant_id: firm.tenantId, slug: firm.slug } },
	]);
	const left = await inTenant(signOn.db, firm.tenantId, (tx) =>
		tx.query<{ text: string }>(
			`select concat_ws(' ', (select count(*) from memberships), (select count(*) from outlets), (select count(*) from sessions),
			   (select count(*) from invitations), (select count(*) from membership_outlets), (select count(*) from tenant_slugs)) as text`,
		),
	);
	expect(left).toEqual([{ text: "0 0 0 0 0 1" }]);
	expect((await office.call("GET", `/api/v1/tenants/by-slug/${firm.slug}`)).statusCode).toBe(404);
	const byId = await office.call("GET", `/api/v1/tenants/${firm.tenantId}`, { headers: apiKey });
	expect(byId.json()).toMatchObject({ status: "deleted", name: firm.slug });
	for (const email of [firm.email, joined.email]) expect((await office.signIn(email)).statusCode).toBe(401);
	const again = await office.register({
		org_action: "create_new",
		organization: { name: "X", slug: firm.slug, use_case: "retail" },
	});
	expect(codeOf(again)).toEqual([409, "slug_taken"]);
	expect(codeOf(await ask("POST", `tenants/${firm.tenantId}/resume`))).toEqual([404, "tenant_not_found"]);
});

test("a schedule finishes an interrupted erasure", async () => {
	const firm = await office.found();
	await signOn.db.query("update tenants set status = 'deleted' where id = $1", [firm.tenantId]);
	await signOn.jobs.run("tenants.finish-erasures");
	const [row] = await signOn.db.query("select primary_tenant_id from users where id = $1", [firm.userId]);
	expect(row).toEqual({ primary_tenant_id: null });
	expect(await signOn.db.query("select * from list_half_erased(10)")).toEqual([]);
});

test("a run finishes twenty interrupted erasures, and the next run the rest", async () => {
	await signOn.db.query(
		"insert into tenants (slug, name, status) select 'left-' || n, 'Left', 'deleted' from generate_series(1, 21) n",
	);
	const left = () => signOn.db.query<{ id: string }>("select id from list_half_erased(100) as id");
	const ids = await signOn.db.query<{ id: string }>("select id from tenants where slug like 'left-%'");
	for (const { id } of ids)
		await inTenant(signOn.db, id, (tx) =>
			tx.query("insert into outlets (tenant_id, code, name, use_case) values ($1, 'HQ', 'Left', 'retail')", [
				id,
			]),
		);
	expect(await left()).toHaveLength(21);
	await signOn.jobs.run("tenants.finish-erasures");
	expect(await left()).toHaveLength(1);
	await signOn.jobs.run("tenants.finish-erasures");
	expect(await left()).toEqual([]);
});

test("a tenant with more people and sessions than a batch is erased completely, with an event for each session", async () => {
	const { tenantId } = await office.found();
	await signOn.db.query(
		`insert into users (email, email_folded, name, primary_tenant_id)
		 select e, e, 'One of many', $1 from (select 'many-' || n || '@many.example' as e from generate_series(1, 1001) n) many`,
		[tenantId],
	);
	await inTenant(signOn.db, tenantId, async (tx) => {
		await tx.query(
			"insert into memberships (tenant_id, user_id, roles) select $1, id, '{viewer}' from users where name = 'One of many' on conflict do nothing",
			[tenantId],
		);
		await tx.query(
			`insert into sessions (id, tenant_id, user_id, client_id, scope, auth_time, amr, idle_expires_at, expires_at)
			 select gen_random_uuid(), $1, u.id, c.id, 'openid', $2, '{pwd}', 'infinity', 'infinity'
			   from users u, clients c where u.name = 'One of many' and c.client_id = 'auth-ui' on conflict do nothing`,
			[tenantId, signOn.now.at],
		);
	});
	expect((await ask("DELETE", `tenants/${tenantId}`)).statusCode).toBe(204);
	const [left] = await inTenant(signOn.db, tenantId, (tx) =>
		tx.query(
			`select (select count(*)::int from memberships) as members, (select count(*)::int from sessions) as sessions,
			   (select count(*)::int from users where primary_tenant_id = $1) as at_home`,
			[tenantId],
		),
	);
	expect(left).toEqual({ members: 0, sessions: 0, at_home: 0 });
	const events = (await office.events("auth.session.revoked")).filter(
		({ tenantid }) => tenantid === tenantId,
	);
	expect(new Set(events.map(({ data }) => data.user_id)).size).toBe(1_002);
});

test.each(["suspend", "resume", "rename", "erase"])(
	"the platform's own tenant: %s is refused",
	async (what) => {
		const path = `tenants/${signOn.tenants.get("lango")}`;
		const response =
			what === "rename"
				? await ask("PATCH", path, { slug: "bongo" })
				: await (what === "erase" ? ask("DELETE", path) : ask("POST", `${path}/${what}`));
		expect(codeOf(response)).toEqual([409, "platform_tenant"]);
	},
);

test.each(["", "/suspend", "/resume"])("a tenant that never was is not found: tenants/…%s", async (verb) => {
	expect(codeOf(await ask(verb === "" ? "GET" : "POST", `tenants/${unknownId}${verb}`))).toEqual([
		404,
		"tenant_not_found",
	]);
});

test("the platform owner can access a customer's tenant, with an audit row each time", async () => {
	const firm = await office.found();
	const members = `/api/v1/tenants/${firm.slug}/members`;
	expect((await office.call("GET", members, { token: root })).statusCode).toBe(200);
	const [row] = await office.audit(firm.slug, firm.token);
	expect(row).toMatchObject({
		action: "access.passed",
		actor_user_id: claimsOf(root).sub,
		subject: "GET /api/v1/tenants/:slug/members",
		after: { passed: ["tenant"] },
	});
});
