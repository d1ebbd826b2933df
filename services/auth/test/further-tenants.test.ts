import { expect, test } from "vitest";
import { fresh, openOffice } from "./office.ts";
import { backend, claimsOf, codeOf, postToken, setUpSignOn } from "./sign-on.ts";

// a registered user creates another tenant (decision 0020)

const signOn = setUpSignOn({ LANGO_TRUSTED_PROXIES: "127.0.0.1" });
const office = openOffice(signOn);

const organization = (slug: string, more: object = {}) => ({
	name: "Mto Traders",
	slug,
	org_size: "1-10",
	use_case: "retail",
	...more,
});
const make = (token: string | undefined, body: object, headers: object = {}) =>
	office.call("POST", "/api/v1/tenants", { ...(token !== undefined && { token }), body, headers });
const countOf = async (table: string) => {
	const [row] = await signOn.db.query<{ count: number }>(`select count(*)::int as count from ${table}`);
	return row?.count ?? 0;
};

test("a signed-in user creates another tenant as its administrator; their primary tenant does not change", async () => {
	const firm = await office.found();
	const slug = fresh("mto");
	const response = await make(firm.token, { organization: organization(slug) });
	expect(response.statusCode).toBe(201);
	expect(response.headers["cache-control"]).toBe("no-store");
	const { user, tenant, status } = response.json();
	expect({ user, status }).toEqual({
		user: {
			id: firm.userId,
			email: firm.email,
			email_verified: false,
			name: "Zawadi Maina",
			roles: ["admin"],
			profile: { selected_plan: null },
		},
		status: "active",
	});
	expect(tenant).toEqual({ id: expect.any(String), slug, name: "Mto Traders" });
	expect((await office.call("GET", `/api/v1/tenants/${slug}/outlets`)).json()).toMatchObject([
		{ code: "HQ", name: "Mto Traders", use_case: "retail", is_hq: true },
	]);
	expect(claimsOf(await office.tokenOf(firm.email))).toMatchObject({ tenant_slug: firm.slug });
	const token = await office.tokenOf(firm.email, { tenant_slug: slug });
	expect(claimsOf(token)).toMatchObject({
		sub: firm.userId,
		tenant_id: tenant.id,
		roles: ["admin"],
		is_hq_user: true,
	});
	const me = (await signOn.me(token)).json();
	expect(me.primary_tenant_id).toBe(firm.tenantId);
	expect(me.memberships.map((one: { slug: string }) => one.slug).toSorted()).toEqual(
		[firm.slug, slug].toSorted(),
	);
});

test("the same events as for a registration are published: the tenant, its outlet, and the membership", async () => {
	const firm = await office.found();
	const slug = fresh("mto");
	const { tenant } = (await make(firm.token, { organization: organization(slug) })).json();
	expect(await office.events("tenant.created", tenant.id)).toMatchObject([
		{ tenantid: tenant.id, data: { slug, status: "active", use_case: "retail", org_size: "1-10" } },
	]);
	const outlets = (await office.events("outlet.changed")).filter(({ data }) => data.tenant_id === tenant.id);
	expect(outlets).toMatchObject([{ data: { code: "HQ", is_hq: true } }]);
	expect((await office.events("auth.user.updated", firm.userId)).at(-1)).toMatchObject({
		tenantid: tenant.id,
		data: { roles: ["admin"], is_hq: true },
	});
	const token = await office.tokenOf(firm.email, { tenant_slug: slug });
	expect(await office.audit(slug, token)).toMatchObject([
		{ action: "tenant.created", actor_user_id: firm.userId, subject: tenant.id },
	]);
});

test("a user with an open join request can create a tenant", async () => {
	const firm = await office.found();
	const { email } = await office.join(firm.slug);
	const slug = fresh("mto");
	const response = await make(await office.tokenOf(email), { organization: organization(slug) });
	expect(response.statusCode).toBe(201);
	expect(claimsOf(await office.tokenOf(email, { tenant_slug: slug }))).toMatchObject({ roles: ["admin"] });
	expect(claimsOf(await office.tokenOf(email))).toMatchObject({ roles: [], tenant_slug: firm.slug });
});

test("a live session of an active user is required", async () => {
	const body = { organization: organization(fresh("mto")) };
	expect((await make(undefined, body)).statusCode).toBe(401);
	expect((await make("garbage", body)).statusCode).toBe(401);
	const left = await office.found();
	await office.call("POST", "/api/v1/auth/logout", { token: left.token });
	expect(codeOf(await make(left.token, body))).toEqual([401, "session_ended"]);
	const suspended = await office.found();
	await signOn.db.query("update users set status = 'disabled' where id = $1", [suspended.userId]);
	const tenants = await countOf("tenants");
	expect(codeOf(await make(suspended.token, body))).toEqual([401, "session_ended"]);
	expect(await countOf("tenants")).toBe(tenants);
});

test("a program makes no tenant", async () => {
	const token = (await postToken(signOn.app, { grant_type: "client_credentials", ...backend })).json()
		.access_token;
	expect(token).toEqual(expect.any(String));
	expect((await make(token, { organization: organization(fresh("mto")) })).statusCode).toBe(403);
});

test.each([
	["organization", "invalid_input", 400, {}],
	["organization.slug", "invalid_input", 400, { organization: organization("Mto Traders") }],
	["organization.slug", "slug_reserved", 400, { organization: organization("admin") }],
	["organization.slug", "slug_reserved", 400, { organization: organization("lango") }],
	["organization.slug", "slug_taken", 409, { organization: organization("kahawa") }],
	[
		"organization.use_case",
		"invalid_input",
		400,
		{ organization: organization("mto", { use_case: "magic" }) },
	],
	["organization.name", "invalid_input", 400, { organization: organization("mto", { name: " " }) }],
	["organization.owner", "invalid_input", 400, { organization: organization("mto", { owner: "x" }) }],
	["roles", "invalid_input", 400, { organization: organization("mto"), roles: ["superuser"] }],
])("bad input is refused naming %s (%s, %i), and nothing is made", async (...[field, code, status, body]) => {
	const token = await office.tokenOf("owner@kahawa.example");
	const tenants = await countOf("tenants");
	const response = await make(token, body);
	expect(response.json()).toMatchObject({ code, field });
	expect(response.statusCode).toBe(status);
	expect(await countOf("tenants")).toBe(tenants);
});

test("of many who make a tenant of one slug at once one does, and nothing is left of the others", async () => {
	const slug = fresh("race");
	const firms = [];
	for (let one = 0; one < 4; one += 1) firms.push(await office.found());
	const [outlets, memberships] = [await listed("outlets"), await listed("memberships")];
	const responses = await Promise.all(
		firms.flatMap(({ token }) => [1, 2].map(() => make(token, { organization: organization(slug) }))),
	);
	expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, ...Array(7).fill(409)]);
	for (const response of responses)
		if (response.statusCode === 409)
			expect(response.json()).toMatchObject({ code: "slug_taken", field: "organization.slug" });
	expect([await listed("outlets"), await listed("memberships")]).toEqual([outlets + 1, memberships + 1]);
});

/** Counted by the events, because rows of a tenant are only visible inside it. */
async function listed(what: "outlets" | "memberships"): Promise<number> {
	return (await office.events(what === "outlets" ? "outlet.changed" : "auth.user.updated")).length;
}

test("one person makes several at once", async () => {
	const firm = await office.found();
	const responses = await Promise.all(
		Array.from({ length: 5 }, () => make(firm.token, { organization: organization(fresh("many")) })),
	);
	expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(201));
	const me = (await signOn.me(firm.token)).json();
	expect(me.memberships).toHaveLength(6);
});

test("one person makes ten in an hour, from wherever, and others go on", async () => {
	const firm = await office.found();
	const makeFrom = (turn: number) =>
		make(
			firm.token,
			{ organization: organization(fresh("bound")) },
			{ "x-forwarded-for": `203.0.113.${turn}` },
		);
	for (let turn = 0; turn < 10; turn += 1) expect((await makeFrom(turn)).statusCode).toBe(201);
	const refused = await makeFrom(10);
	expect(codeOf(refused)).toEqual([429, "rate_limited"]);
	expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
	const other = await office.found();
	expect((await make(other.token, { organization: organization(fresh("bound")) })).statusCode).toBe(201);
});

test("asking which slugs are taken is limited by IP", async () => {
	const firm = await office.found();
	const others = [firm, await office.found(), await office.found()];
	const ask = (token: string) =>
		make(token, { organization: organization("kahawa") }, { "x-forwarded-for": "203.0.113.200" });
	for (let asked = 0; asked < 20; asked += 1)
		expect(codeOf(await ask(others[Math.floor(asked / 8)]?.token ?? ""))).toEqual([409, "slug_taken"]);
	expect(codeOf(await ask(others[2]?.token ?? ""))).toEqual([429, "rate_limited"]);
});
