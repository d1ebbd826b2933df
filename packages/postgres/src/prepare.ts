import { createHmac } from "node:crypto";
import pg from "pg";

/** The two addresses a service needs: one to change tables with, one to work with. */
export type DatabaseUrls = { owner: string; app: string };

const plainName = /^[a-z][a-z0-9_]{0,40}$/;

/**
 * Makes a service's database and its roles where they are missing; running it again changes nothing.
 * `adminUrl` is a login that may create roles and databases. The roles `lango_app` (what services may do),
 * `lango_lookup` (owner of the look-ups that run before a tenant is known) and `lango_platform` (the platform
 * owner's cross-tenant reader) cannot log in; `<service>_owner` and `<service>_app` can, each into this database alone.
 */
export async function prepareDatabase(adminUrl: string, service: string): Promise<DatabaseUrls> {
	const urls = databaseUrls(adminUrl, service);
	await prepareDatabaseAt(adminUrl, urls);
	return urls;
}

/**
 * As `prepareDatabase`, with the database, the two roles and the passwords that `urls` name. Throws an Error when the two addresses
 * are of different databases, share a role, have no password, or hold a name that is not plain.
 */
export async function prepareDatabaseAt(adminUrl: string, urls: DatabaseUrls): Promise<void> {
	const [owner, app] = [new URL(urls.owner), new URL(urls.app)];
	const name = app.pathname.slice(1);
	if (owner.pathname !== app.pathname)
		throw new Error(
			`the owner's address is of the database ${owner.pathname.slice(1)}, the other of ${name}`,
		);
	if (owner.username === app.username)
		throw new Error(`"${app.username}" cannot both own the tables and work on them`);
	for (const part of [name, owner.username, app.username])
		if (!plainName.test(part)) throw new Error(`"${part}" cannot name a database or a role`);
	for (const { username, password } of [owner, app])
		if (password === "") throw new Error(`the address of ${username} has no password`);
	await withAdmin(adminUrl, async (admin) => {
		await ensureRoles(admin, urls);
		const { rowCount } = await admin.query("select from pg_database where datname = $1", [name]);
		if (rowCount === 0) await createDatabase(admin, name, owner.username);
		await admin.query(`grant connect on database ${name} to ${app.username}`);
	});
}

/**
 * Runs `work` on an administrator's connection while no other does, so that nobody sees roles or databases half
 * made. Throws the driver's error.
 */
export async function withAdmin<T>(adminUrl: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
	const admin = new pg.Client({
		connectionString: adminUrl,
		application_name: "lango-prepare",
		connectionTimeoutMillis: 10_000,
	});
	// A lost connection also fails the statement under way, which is where it is reported.
	admin.on("error", () => undefined);
	await admin.connect();
	try {
		await admin.query("set statement_timeout = '5min'; select pg_advisory_lock(hashtext('lango-prepare'))");
		return await work(admin);
	} finally {
		await admin.end();
	}
}

/** Makes the roles of `prepareDatabase` where they are missing, and gives the two that log in their passwords. */
export async function ensureRoles(admin: pg.Client, urls: DatabaseUrls): Promise<void> {
	await admin.query(groupRoles);
	const owner = new URL(urls.owner);
	const app = new URL(urls.app);
	for (const url of [owner, app]) await ensureLogin(admin, url);
	await admin.query(`grant lango_app to ${app.username}; grant lango_lookup to ${owner.username}`);
}

/** Derives a service's two addresses from the administrator's: same server, own roles, own database. */
export function databaseUrls(adminUrl: string, service: string): DatabaseUrls {
	if (!plainName.test(service)) throw new Error(`"${service}" cannot name a database`);
	const derive = (role: string) => {
		const url = new URL(adminUrl);
		url.password = createHmac("sha256", decodeURIComponent(url.password)).update(role).digest("base64url");
		url.username = role;
		url.pathname = `/${service}`;
		return url.toString();
	};
	return { owner: derive(`${service}_owner`), app: derive(`${service}_app`) };
}

/** Creates an empty UTF-8 database that only its owner and roles granted CONNECT may enter. */
export async function createDatabase(admin: pg.Client, name: string, owner: string): Promise<void> {
	if (![name, owner].every((part) => plainName.test(part)))
		throw new Error(`"${name}" cannot name a database`);
	await admin.query(
		`create database ${name} owner ${owner} template template0 encoding 'UTF8' locale 'C.UTF-8'`,
	);
	await admin.query(`revoke all on database ${name} from public`);
}

/** lango_app does not inherit: a service must say `set local role lango_platform` to read across tenants. */
const groupRoles = `
do $$
declare role_name text;
begin
  foreach role_name in array array['lango_app', 'lango_lookup', 'lango_platform'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin noinherit', role_name);
    end if;
  end loop;
  grant lango_platform to lango_app;
end $$`;

async function ensureLogin(admin: pg.Client, { username, password }: URL): Promise<void> {
	const { rowCount } = await admin.query("select from pg_roles where rolname = $1", [username]);
	const verb = rowCount === 0 ? "create" : "alter";
	const secret = admin.escapeLiteral(decodeURIComponent(password));
	await admin.query(`${verb} role ${username} login nosuperuser nobypassrls password ${secret}`);
}
