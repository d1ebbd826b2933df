import { expect, test } from "vitest";
import { fresh, openOffice } from "./office.ts";
import { claimsOf, password, setUpSignOn, startSignOn } from "./sign-on.ts";

const signOn = setUpSignOn({ LANGO_TRUSTED_PROXIES: "127.0.0.1" });
const office = openOffice(signOn);

const organization = (slug: string) => ({ name: "Mto Traders", slug, org_size: "1-10", use_case: "retail" });
const createNew = (slug: string, more: object = {}) =>
	office.register({ org_action: "create_new", organization: organization(slug), ...more });
const counted = async () => {
	const [row] = await signOn.db.query<{ text: string }>(
		`select concat_ws(' ', (select count(*) from tenants), (select count(*) from users), (select count(*) from credentials),
		   (select count(*) from outbox)) as text`,
	);
	return row?.text;
};

test("create_new creates the tenant, its headquarters and its administrator, who can sign in at once", async () => {
	const slug = fresh("mto");
	const email = `Founder@${slug}.example`;
	const response = await createNew(slug, { name: " Amina Yusuf ", email, selected_plan: "GROWTH" });
	expect(response.statusCode).toBe(201);
	expect(response.headers["cache-control"]).toBe("no-store");
	const body = response.json();
	expect(body).toEqual({
		user: {
			id: expect.any(String),
			email,
			email_verified: false,
			name: "Amina Yusuf",
			roles: ["admin"],
			profile: { selected_plan: "GROWTH" },
		},
		tenant: { id: expect.any(String), slug, name: "Mto Traders" },
		status: "active",
	});
	expect((await office.call("GET", `/api/v1/tenants/${slug}/outlets`)).json()).toMatchObject([
		{ code: "HQ", name: "Mto Traders", use_case: "retail", is_hq: true, status: "active" },
	]);
	const token = await office.tokenOf(email.toLowerCase());
	expect(claimsOf(token)).toMatchObject({
		sub: body.user.id,
		tenant_id: body.tenant.id,
		tenant_slug: slug,
		roles: ["admin"],
		is_hq_user: true,
	});
	const me = (await signOn.me(token)).json();
	expect(me).toMatchObject({ primary_tenant_id: body.tenant.id, profile: { selected_plan: "GROWTH" } });
});

test("create_new publishes the tenant, its outlet, the person and the proof of the address, with no secret in any", async () => {
	const slug = fresh("mto");
	const { user, tenant } = (await createNew(slug)).json();
	expect(await office.events("tenant.created", tenant.id)).toMatchObject([
		{
			tenantid: tenant.id,
			data: {
				tenant_id: tenant.id,
				slug,
				name: "Mto Traders",
				status: "active",
				use_case: "retail",
				org_size: "1-10",
				time_zone: "Africa/Nairobi",
				currency: "KES",
				locale: "en-KE",
				version: 1,
			},
		},
	]);
	expect(await office.events("auth.user.created", user.id)).toMatchObject([
		{ tenantid: tenant.id, data: { user_id: user.id, roles: ["admin"], status: "active" } },
	]);
	const outlets = (await office.events("outlet.changed")).filter(({ data }) => data.tenant_id === tenant.id);
	expect(outlets).toMatchObject([{ data: { code: "HQ", is_hq: true, status: "active" } }]);
	const [asked] = await office.events("auth.email.verification_requested", user.id);
	expect(Object.keys(asked?.data ?? {}).toSorted()).toEqual([
		"email",
		"expires_at",
		"link_id",
		"name",
		"user_id",
	]);
});

test("the password is stored as argon2id and reaches neither log nor event", async () => {
	const secret = "Tembo-na-Simba-77";
	const { user } = (await createNew(fresh("mto"), { password: secret })).json();
	const [row] = await signOn.db.query<{ secret: string }>(
		"select secret from credentials where user_id = $1",
		[user.id],
	);
	expect(row?.secret).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
	expect(signOn.logged.join("\n")).not.toContain(secret);
	const [leak] = await signOn.db.query("select 1 from outbox where envelope::text like $1", [`%${secret}%`]);
	expect(leak).toBeUndefined();
});

test("join_existing waits for approval by default: the user signs in without roles and with the status pending_review", async () => {
	const { slug } = await office.found();
	const { email, status } = await office.join(slug);
	expect(status).toBe("pending_review");
	const claims = claimsOf(await office.tokenOf(email));
	expect(claims).toMatchObject({
		roles: [],
		permissions: [],
		user_status: "pending_review",
		tenant_slug: slug,
	});
});

test("a rider waits as pending, and is announced as a rider", async () => {
	const { slug } = await office.found();
	const { userId, status, email } = await office.join(slug, { requested_role: "rider" });
	expect(status).toBe("pending");
	expect(await office.events("auth.user.created", userId)).toMatchObject([
		{ data: { roles: ["rider"], status: "pending" } },
	]);
	expect(claimsOf(await office.tokenOf(email))).toMatchObject({ roles: [], user_status: "pending" });
});

test("an open tenant takes members at once, and still asks an administrator about riders", async () => {
	const { slug, token } = await office.found();
	await office.call("PATCH", `/api/v1/tenants/${slug}/settings`, { token, body: { join_policy: "open" } });
	const member = await office.join(slug);
	expect(member.status).toBe("active");
	expect(claimsOf(await office.tokenOf(member.email))).toMatchObject({ roles: ["member"] });
	expect((await office.join(slug, { requested_role: "rider" })).status).toBe("pending");
});

test("a tenant with the join policy invite refuses a person without an invitation, and nothing is written", async () => {
	const { slug, token } = await office.found();
	await office.call("PATCH", `/api/v1/tenants/${slug}/settings`, { token, body: { join_policy: "invite" } });
	const before = await counted();
	for (const more of [{}, { requested_role: "rider" }]) {
		const response = await office.register({ org_action: "join_existing", tenant_slug: slug, ...more });
		expect([response.statusCode, response.json().code]).toEqual([403, "join_refused"]);
	}
	expect(await counted()).toBe(before);
});

test("a join request to the platform owner's tenant is refused", async () => {
	const response = await office.register({ org_action: "join_existing", tenant_slug: "lango" });
	expect([response.statusCode, response.json().code]).toEqual([403, "join_refused"]);
});

test.each([
	["nowhere", [404, "tenant_not_found"]],
	["duka", [403, "tenant_inactive"]],
])("joining %s, which is not there or is suspended, is refused with %j", async (tenant_slug, expected) => {
	await signOn.db.query("update tenants set status = 'suspended' where slug = 'duka'");
	const response = await office.register({ org_action: "join_existing", tenant_slug });
	await signOn.db.query("update tenants set status = 'active' where slug = 'duka'");
	expect([response.statusCode, response.json().code]).toEqual(expected);
});

test.each([
	["password", "password_weak", { password: "short1!" }],
	["password", "password_weak", { password: "x".repeat(129) }],
	["password", "password_weak", { password: "Password123" }],
	["password", "password_weak", { email: "amina@mto.example", password: "Amina@mto.example" }],
	["password", "invalid_input", { password: undefined }],
	["email", "invalid_input", { email: "no-address" }],
	["email", "invalid_input", { email: "a b@mto.example" }],
	["email", "invalid_input", { email: undefined }],
	["name", "invalid_input", { name: "\u0000" }],
	["name", "invalid_input", { name: "  " }],
	["org_action", "invalid_input", { org_action: "take_over" }],
	["organization", "invalid_input", { organization: undefined }],
	["organization.slug", "invalid_input", { organization: { ...organization("x"), slug: "Mto Traders" } }],
	["organization.slug", "invalid_input", { organization: organization("m") }],
	["organization.slug", "slug_reserved", { organization: organization("admin") }],
	["organization.slug", "slug_reserved", { organization: organization("by-slug") }],
	["organization.slug", "slug_reserved", { organization: organization("lango") }],
	[
		"organization.slug",
		"slug_reserved",
		{ organization: organization("4f2a1c3e-0b7d-4a55-9c1e-7d0f6b2a9e11") },
	],
	["organization.use_case", "invalid_input", { organization: { ...organization("mto"), use_case: "magic" } }],
	["organization.owner", "invalid_input", { organization: { ...organization("mto"), owner: "x" } }],
	["tenant_slug", "invalid_input", { tenant_slug: "uhai" }],
	["requested_role", "invalid_input", { requested_role: "rider" }],
	["requested_role", "invalid_input", { requested_role: "admin" }],
	["tenant_slug", "invalid_input", { org_action: "join_existing", organization: undefined }],
	["organization", "invalid_input", { org_action: "join_existing", tenant_slug: "uhai" }],
	["role", "invalid_input", { role: "superuser" }],
])("bad input is refused naming %s (%s), and nothing is made: %j", async (field, code, more) => {
	const before = await counted();
	const response = await createNew(fresh("mto"), more);
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code, field });
	expect(await counted()).toBe(before);
});

test("an address that is taken is refused, in whatever case it is written", async () => {
	const { email } = await office.found();
	const response = await createNew(fresh("mto"), { email: email.toUpperCase() });
	expect([response.statusCode, response.json().code]).toEqual([409, "email_taken"]);
	expect(response.json().field).toBe("email");
});

test("a slug that is taken is refused", async () => {
	const response = await createNew("kahawa");
	expect([response.statusCode, response.json().code]).toEqual([409, "slug_taken"]);
	expect(response.json().field).toBe("organization.slug");
});

test("a slug a tenant had before it was renamed is never given to another", async () => {
	const { slug, tenantId } = await office.found();
	const token = await office.tokenOf("root@lango.example");
	const renamed = await office.call("PATCH", `/api/v1/admin/tenants/${tenantId}`, {
		token,
		body: { slug: `${slug}-new` },
	});
	expect(renamed.statusCode).toBe(200);
	const response = await createNew(slug);
	expect([response.statusCode, response.json().code]).toEqual([409, "slug_taken"]);
});

test("of many registrations of one slug at once one wins, and nothing is left of the others", async () => {
	const slug = fresh("race");
	const users = await countOf("users");
	const responses = await Promise.all(Array.from({ length: 8 }, () => createNew(slug)));
	expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, ...Array(7).fill(409)]);
	for (const response of responses)
		if (response.statusCode === 409) expect(response.json().code).toBe("slug_taken");
	expect(await countOf("users")).toBe(users + 1);
});

test("of many registrations of one address at once one wins, and nothing is left of the others", async () => {
	const email = `${fresh("race")}@new.example`;
	const tenants = await countOf("tenants");
	const responses = await Promise.all(Array.from({ length: 8 }, () => createNew(fresh("race"), { email })));
	expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, ...Array(7).fill(409)]);
	for (const response of responses)
		if (response.statusCode === 409) expect(response.json().code).toBe("email_taken");
	expect(await countOf("tenants")).toBe(tenants + 1);
});

async function countOf(table: "users" | "tenants"): Promise<number> {
	const [row] = await signOn.db.query<{ count: number }>(`select count(*)::int as count from ${table}`);
	return row?.count ?? 0;
}

test("asking which addresses are taken is limited by IP, and other IPs go on", async () => {
	const { email } = await office.found();
	const ask = (ip: string) =>
		office.call("POST", "/api/v1/auth/register", {
			headers: { "x-forwarded-for": ip },
			body: { name: "X", email, password, org_action: "join_existing", tenant_slug: "uhai" },
		});
	for (let asked = 0; asked < 20; asked += 1) expect((await ask("203.0.113.9")).statusCode).toBe(409);
	const refused = await ask("203.0.113.9");
	expect([refused.statusCode, refused.json().code]).toEqual([429, "rate_limited"]);
	expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
	expect((await ask("203.0.113.10")).statusCode).toBe(409);
});

test("registrations from one IP are limited by the setting", async () => {
	const strict = await startSignOn({ AUTH_REGISTRATIONS_PER_ADDRESS_HOUR: "1" });
	const other = openOffice(strict);
	await other.found();
	const refused = await other.register({ org_action: "join_existing", tenant_slug: "uhai" });
	await strict.close();
	expect([refused.statusCode, refused.json().code]).toEqual([429, "rate_limited"]);
});

test("the members of a registration are bounded", async () => {
	const response = await createNew(fresh("mto"), { name: "x".repeat(70_000) });
	expect(response.statusCode).toBe(413);
});
