import { inTenant } from "@lango/postgres";
import { beforeAll, expect, test } from "vitest";
import { type Firm, openOffice } from "./office.ts";
import { acceptedKey, apiKey, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn(acceptedKey);
const office = openOffice(signOn);
let own: Firm;
let other: typeof own;
beforeAll(async () => {
	own = await office.found();
	other = await office.found();
});

const settings = (body?: object, token = own.token, slug = own.slug) =>
	office.call(body === undefined ? "GET" : "PATCH", `/api/v1/tenants/${slug}/settings`, {
		token,
		...(body !== undefined && { body }),
	});
const openOne = (body: object, token = own.token) =>
	office.call("POST", `/api/v1/tenants/${own.slug}/outlets`, { token, body });
const outlet = { code: "WEST", name: "Westlands", use_case: "retail" };
const publicOutlets = async () => (await office.call("GET", `/api/v1/tenants/${own.slug}/outlets`)).json();

test("an administrator changes single settings; the others stay, and the public data and an event have the change", async () => {
	expect((await settings()).json()).toMatchObject({ join_policy: "approval", currency: "KES" });
	const change = {
		name: " Firm & Sons ",
		branding: { colour: "#0a7f3f", logo_url: null },
		time_zone: "Africa/Kampala",
		currency: "UGX",
		locale: "sw-UG",
		join_policy: "open",
	};
	const changed = await settings(change);
	expect(changed.statusCode).toBe(200);
	expect(changed.json()).toMatchObject({ ...change, name: "Firm & Sons", slug: own.slug });
	expect((await settings({ branding: { logo_url: null } })).json().branding).toEqual({
		logo_url: null,
		colour: "#0a7f3f",
	});
	const { join_policy: _, ...shown } = (await settings()).json();
	expect((await office.call("GET", `/api/v1/tenants/by-slug/${own.slug}`)).json()).toEqual(shown);
	const events = await office.events("tenant.updated", own.tenantId);
	expect(events.map(({ data }) => data.version)).toEqual([2, 3]);
	expect(events[1]?.data).toMatchObject({
		name: "Firm & Sons",
		currency: "UGX",
		branding: { logo_url: null },
	});
});

test("a logo address of an earlier release stays until it is replaced or removed", async () => {
	const firm = await office.found();
	const logo_url = "https://cdn.example/logo.png";
	await signOn.db.query("update tenants set logo_url = $2 where id = $1", [firm.tenantId, logo_url]);
	const same = await settings({ branding: { logo_url, colour: "#112233" } }, firm.token, firm.slug);
	expect(same.json().branding).toEqual({ logo_url, colour: "#112233" });
	const removed = await settings({ branding: { logo_url: null } }, firm.token, firm.slug);
	expect(removed.json().branding).toEqual({ logo_url: null, colour: "#112233" });
	const back = await settings({ branding: { logo_url } }, firm.token, firm.slug);
	expect(back.json()).toMatchObject({ code: "invalid_input", field: "branding.logo_url" });
	expect(back.json().error).toContain("PUT /api/v1/tenants/{slug}/logo");
});

test("a change of settings has an audit row with actor, action, values before and after, and origin", async () => {
	await settings({ currency: "TZS" });
	const [row] = await office.audit(own.slug, own.token);
	expect(row).toMatchObject({
		action: "tenant.settings_changed",
		actor_user_id: own.userId,
		tenant_id: own.tenantId,
		subject: own.tenantId,
		before: { currency: "UGX" },
		after: { currency: "TZS" },
		ip: "127.0.0.1",
		request_id: expect.any(String),
	});
});

test("outlet isolation is strict until an administrator opens it; the change is public, in the events and in the audit log", async () => {
	const firm = await office.found();
	const url = `/api/v1/tenants/by-slug/${firm.slug}`;
	expect((await office.call("GET", url)).json()).toMatchObject({ outlet_isolation: "strict" });
	expect((await office.events("tenant.created", firm.tenantId))[0]?.data).toMatchObject({
		outlet_isolation: "strict",
	});
	const changed = await settings({ outlet_isolation: "open" }, firm.token, firm.slug);
	expect(changed.json()).toMatchObject({ outlet_isolation: "open" });
	expect((await office.call("GET", url)).json()).toMatchObject({ outlet_isolation: "open" });
	expect((await office.events("tenant.updated", firm.tenantId))[0]?.data).toMatchObject({
		outlet_isolation: "open",
	});
	expect((await office.audit(firm.slug, firm.token))[0]).toMatchObject({
		action: "tenant.settings_changed",
		before: { outlet_isolation: "strict" },
		after: { outlet_isolation: "open" },
	});
});

test("two concurrent changes are both applied and counted", async () => {
	const before = (await office.events("tenant.updated", own.tenantId)).length;
	const answers = await Promise.all([
		settings({ locale: "en-TZ" }),
		settings({ time_zone: "Africa/Nairobi" }),
	]);
	expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
	expect((await settings()).json()).toMatchObject({ locale: "en-TZ", time_zone: "Africa/Nairobi" });
	const versions = (await office.events("tenant.updated", own.tenantId)).map(({ data }) => data.version);
	expect(new Set(versions).size).toBe(before + 2);
});

test.each([
	["time_zone", { time_zone: "Mars/Olympus" }],
	["time_zone", { time_zone: "+03:00" }],
	["currency", { currency: "XKX" }],
	["currency", { currency: "kes" }],
	["locale", { locale: "not a locale" }],
	["branding.logo_url", { branding: { logo_url: "https://cdn.example/logo.png" } }],
	["branding.logo_url", { branding: { logo_url: "http://localhost:4000/api/v1/auth/logout" } }],
	["branding.colour", { branding: { colour: "red" } }],
	["join_policy", { join_policy: "maybe" }],
	["outlet_isolation", { outlet_isolation: "loose" }],
	["name", { name: "" }],
	["slug", { slug: "mine" }],
	["status", { status: "active" }],
])("settings are refused naming %s: %j", async (field, change) => {
	const response = await settings(change);
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code: "invalid_input", field });
});

test("an outlet is created, changed and archived, each time with an event and an audit row", async () => {
	const opened = await openOne({ ...outlet, settings: { till_count: 12 } });
	expect(opened.statusCode).toBe(201);
	const { id } = opened.json();
	expect(opened.json()).toEqual({
		id,
		...outlet,
		is_hq: false,
		status: "active",
		settings: { till_count: 12 },
	});
	const url = `/api/v1/tenants/${own.slug}/outlets/${id}`;
	const changed = await office.call("PATCH", url, {
		token: own.token,
		body: { name: "Westlands Mall", status: "inactive", settings: {} },
	});
	expect(changed.json()).toMatchObject({
		id,
		code: "WEST",
		name: "Westlands Mall",
		status: "inactive",
		settings: {},
	});
	expect((await office.call("DELETE", url, { token: own.token })).statusCode).toBe(204);
	expect(await publicOutlets()).toContainEqual(expect.objectContaining({ id, status: "archived" }));
	const events = await office.events("outlet.changed", id);
	expect(events.map(({ data }) => [data.status, data.version])).toEqual([
		["active", 1],
		["inactive", 2],
		["archived", 3],
	]);
	const actions = (await office.audit(own.slug, own.token)).filter(({ subject }) => subject === id);
	expect(actions.map(({ action }) => action)).toEqual(["outlet.archived", "outlet.changed", "outlet.opened"]);
	expect(actions[1]).toMatchObject({ before: { name: "Westlands" }, after: { name: "Westlands Mall" } });
});

test("an archived outlet cannot be changed", async () => {
	const { id } = (await openOne({ ...outlet, code: "OLD" })).json();
	const url = `/api/v1/tenants/${own.slug}/outlets/${id}`;
	await office.call("DELETE", url, { token: own.token });
	for (const method of ["PATCH", "DELETE"] as const) {
		const response = await office.call(method, url, {
			token: own.token,
			...(method === "PATCH" && { body: {} }),
		});
		expect([response.statusCode, response.json().code]).toEqual([404, "outlet_not_found"]);
	}
});

test.each([
	["code", { code: "west end" }],
	["code", { code: undefined }],
	["name", { name: "\u0007" }],
	["use_case", { use_case: "magic" }],
	["settings.notes", { settings: { notes: "a\u0000b" } }],
	["settings.table_count", { settings: { table_count: 1 } }],
	["settings.api_key", { settings: { api_key: "x" } }],
	["settings", { settings: { notes: "x".repeat(20_000) } }],
	["is_hq", { is_hq: "yes" }],
	["tenant_id", { tenant_id: "x" }],
])("an outlet is refused naming %s: %j", async (field, more) => {
	const response = await openOne({ ...outlet, ...more });
	expect(response.statusCode).toBe(400);
	expect(response.json()).toMatchObject({ code: "invalid_input", field });
});

test("public settings need no credential; members and services with a key read all settings", async () => {
	const firm = await office.found();
	const settings = { phone: "+254 700 000 000", tax_registration: "P051234567X" };
	const url = `/api/v1/tenants/${firm.slug}`;
	const opened = await office.call("POST", `${url}/outlets`, {
		token: firm.token,
		body: { ...outlet, settings },
	});
	const { id } = opened.json();
	expect(opened.json()).toMatchObject({ settings });
	const { body } = await office.call("GET", `${url}/outlets`);
	expect(body).toContain("+254 700 000 000");
	expect(body).not.toContain("P051234567X");
	const shown = await office.call("GET", `${url}/outlets/${id}`, { token: firm.token });
	expect(shown.json()).toEqual({ id, ...outlet, is_hq: false, status: "active", settings });
	const copied = await office.call("GET", `${url}/outlet-settings`, { headers: apiKey });
	expect(copied.json()).toContainEqual(shown.json());
	expect((await office.events("outlet.changed", id))[0]?.data).toMatchObject({ settings });
	const foreign = await office.call("GET", `/api/v1/tenants/${own.slug}/outlets/${id}`, { token: own.token });
	expect([foreign.statusCode, foreign.json().code]).toEqual([404, "outlet_not_found"]);
});

test("settings of an older release stay readable, are not public, and are refused once settings or use case change", async () => {
	const { id } = (await openOne({ ...outlet, code: "LEGACY", settings: { till_count: 2 } })).json();
	await inTenant(signOn.db, own.tenantId, (tx) =>
		tx.query('update outlets set settings = settings || \'{"wifi": "x"}\' where id = $1', [id]),
	);
	const url = `/api/v1/tenants/${own.slug}/outlets/${id}`;
	const change = (body: object) => office.call("PATCH", url, { token: own.token, body });
	const stored = { settings: { till_count: 2, wifi: "x" } };
	expect((await change({ name: "Legacy" })).json()).toMatchObject(stored);
	expect((await office.call("GET", url, { token: own.token })).json()).toMatchObject(stored);
	expect(await publicOutlets()).toContainEqual(expect.objectContaining({ id, settings: {} }));
	const refused = await change(stored);
	expect([refused.statusCode, refused.json().field]).toEqual([400, "settings.wifi"]);
	expect((await change({ settings: { till_count: 2 } })).statusCode).toBe(200);
	const moved = await change({ use_case: "services" });
	expect([moved.statusCode, moved.json().field]).toEqual([400, "settings.till_count"]);
	const both = await change({ use_case: "services", settings: { room_count: 2 } });
	expect(both.json()).toMatchObject({ use_case: "services", settings: { room_count: 2 } });
});

test("outlets are listed by name, and numbers in names by their value", async () => {
	const fresh = await office.found();
	for (const [code, name] of [
		["A", "Outlet 10"],
		["B", "Outlet 2"],
	])
		await office.call("POST", `/api/v1/tenants/${fresh.slug}/outlets`, {
			token: fresh.token,
			body: { ...outlet, code, name },
		});
	const listed: Array<{ name: string }> = (
		await office.call("GET", `/api/v1/tenants/${fresh.slug}/outlets`)
	).json();
	expect(listed.map(({ name }) => name).filter((name) => name.startsWith("Outlet"))).toEqual([
		"Outlet 2",
		"Outlet 10",
	]);
});

test("of two concurrent outlets with one code one is created", async () => {
	const answers = await Promise.all([1, 2, 3].map(() => openOne({ ...outlet, code: "TWIN" })));
	expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409]);
	expect(answers.find(({ statusCode }) => statusCode === 409)?.json()).toMatchObject({
		code: "outlet_code_taken",
		field: "code",
	});
});

test("changing an outlet's code to one that is taken is refused", async () => {
	const { id } = (await openOne({ ...outlet, code: "EAST" })).json();
	const response = await office.call("PATCH", `/api/v1/tenants/${own.slug}/outlets/${id}`, {
		token: own.token,
		body: { code: "HQ" },
	});
	expect([response.statusCode, response.json().code]).toEqual([409, "outlet_code_taken"]);
});

test("a tenant has at most five hundred outlets, also with parallel requests", async () => {
	const full = await office.found();
	const rows = Array.from({ length: 498 }, (_, index) => `X${index}`);
	await inTenant(signOn.db, full.tenantId, async (tx) => {
		await tx.query(
			"insert into outlets (tenant_id, code, name, use_case) select $1, code, code, 'retail' from unnest($2::text[]) code on conflict do nothing",
			[full.tenantId, rows],
		);
	});
	const answers = await Promise.all(
		["A", "B", "C", "D"].map((code) =>
			office.call("POST", `/api/v1/tenants/${full.slug}/outlets`, {
				token: full.token,
				body: { ...outlet, code },
			}),
		),
	);
	expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409, 409]);
	expect(answers.find(({ statusCode }) => statusCode === 409)?.json().code).toBe("outlets_full");
});

test("another tenant's outlet is not found under one's own address", async () => {
	const [theirs] = (await office.call("GET", `/api/v1/tenants/${other.slug}/outlets`)).json();
	for (const method of ["PATCH", "DELETE"] as const) {
		const url = `/api/v1/tenants/${own.slug}/outlets/${theirs.id}`;
		const response = await office.call(method, url, {
			token: own.token,
			...(method === "PATCH" && { body: { name: "Mine" } }),
		});
		expect([response.statusCode, response.json().code]).toEqual([404, "outlet_not_found"]);
	}
});
