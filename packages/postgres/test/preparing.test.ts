import { randomBytes } from "node:crypto";
import { databaseUrls, migrate, openPool, prepareDatabase, prepareDatabaseAt } from "@lango/postgres";
import { afterAll, expect, test } from "vitest";
import { notes } from "./notes.ts";

const adminUrl = process.env.TEST_DATABASE_URL ?? "";
const run = randomBytes(4).toString("hex");
const [left, right, chosen] = [`lango_try_${run}_a`, `lango_try_${run}_b`, `lango_try_${run}_c`];
const services = [left, right, chosen];
const admin = openPool({ url: adminUrl, name: "admin", sizeMax: 2 });

async function remove(): Promise<void> {
	for (const service of services) {
		await admin.query(`drop database if exists ${service} with (force)`);
		for (const role of [`${service}_owner`, `${service}_app`])
			await admin.query(`drop role if exists ${role}`);
	}
}

afterAll(async () => {
	await remove();
	await admin.close();
});

async function ask(url: string, statement: string): Promise<unknown> {
	const db = openPool({ url, name: "ask", sizeMax: 1 });
	try {
		return await db.query(statement);
	} finally {
		await db.close();
	}
}

const state = () =>
	admin.query(
		`with roles as (
		   select oid, rolname, rolcanlogin, rolsuper, rolbypassrls, rolinherit, rolcreaterole from pg_roles
		    where rolname in ('lango_app', 'lango_lookup', 'lango_platform') or starts_with(rolname, $2))
		 select datname as name, datdba::regrole::text as owner, datacl::text, encoding, datcollate,
		        (select json_agg(r order by rolname) from roles r) as roles,
		        (select array_agg(roleid::regrole || ' to ' || member::regrole order by 1)
		           from pg_auth_members where member in (select oid from roles)) as members
		   from pg_database where datname = any($1) order by 1`,
		[services, `lango_try_${run}`],
	);

test("a database and its two roles are created once, even by several concurrent processes", async () => {
	const [urls] = await Promise.all([prepareDatabase(adminUrl, left), prepareDatabase(adminUrl, left)]);
	await prepareDatabase(adminUrl, right);
	await migrate(urls.owner, [notes]);
	await ask(urls.app, "insert into counters (name) values ('kept')");
	const before = await state();
	expect(before).toMatchObject([
		{ name: left, owner: `${left}_owner`, datcollate: "C.UTF-8" },
		{ name: right },
	]);

	expect(await prepareDatabase(adminUrl, left)).toEqual(urls);
	expect(await state()).toEqual(before);
	expect(await ask(urls.app, "select name from counters")).toEqual([{ name: "kept" }]);
});

test("the two URLs are derived from the administrator's and have different passwords", () => {
	const urls = databaseUrls(
		"postgres://postgres:secret@db.example:5433/postgres?sslmode=require",
		"treasury",
	);
	const [owner, app] = [new URL(urls.owner), new URL(urls.app)];
	expect([owner.username, owner.pathname, owner.port, owner.search]).toEqual([
		"treasury_owner",
		"/treasury",
		"5433",
		"?sslmode=require",
	]);
	expect([app.username, app.pathname]).toEqual(["treasury_app", "/treasury"]);
	expect(new Set(["secret", owner.password, app.password]).size).toBe(3);
});

test("a service's roles can connect to their own database and to no other", async () => {
	for (const kind of ["app", "owner"] as const) {
		const url = new URL(databaseUrls(adminUrl, left)[kind]);
		expect(await ask(url.toString(), "select current_user::text as me")).toEqual([{ me: `${left}_${kind}` }]);
		url.pathname = `/${right}`;
		await expect(ask(url.toString(), "select 1")).rejects.toThrow(/permission denied for database/);
	}
});

test.each(["Treasury", "a-b", "", "1st", "x; drop database postgres", "a".repeat(42)])(
	"%j is refused as a service's name",
	async (name) => {
		await expect(prepareDatabase(adminUrl, name)).rejects.toThrow("is not a valid database name");
	},
);

/** The administrator's URL with another role and another database. */
function addressOf(role: string, name: string, password = "secret"): string {
	const url = new URL(adminUrl);
	const own = { username: role, password: encodeURIComponent(password), pathname: `/${name}` };
	return Object.assign(url, own).toString();
}

test("roles get the passwords of their URLs, and changed passwords are set", async () => {
	const [app, owner] = [`${chosen}_app`, `${chosen}_owner`];
	const who = "select current_user::text as me";
	for (const password of ["first", "p@ss:w/rd%"]) {
		const urls = { app: addressOf(app, chosen, password), owner: addressOf(owner, chosen) };
		await prepareDatabaseAt(adminUrl, urls);
		expect(await ask(urls.app, who)).toEqual([{ me: app }]);
	}
	await expect(ask(addressOf(app, chosen, "first"), who)).rejects.toThrow(/password authentication failed/);
});

test.each([
	[
		"with two databases",
		{ owner: addressOf("o", "one"), app: addressOf("a", "two") },
		"has the database one, the other one two",
	],
	["with one role", { owner: addressOf("o", "one"), app: addressOf("o", "one") }, '"o" cannot be both'],
	[
		"without a password",
		{ owner: addressOf("o", "one"), app: addressOf("a", "one", "") },
		"the URL of a has no password",
	],
	[
		"with an invalid role name",
		{ owner: addressOf("O-1", "one"), app: addressOf("a", "one") },
		'"O-1" is not a valid name',
	],
])("two URLs %s are refused before anything is created", async (_what, urls, says) => {
	await expect(prepareDatabaseAt(adminUrl, urls)).rejects.toThrow(says);
});
