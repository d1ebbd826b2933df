import { createHmac } from "node:crypto";
import pg from "pg";

/** The two database URLs of a service: for migrations, and for its work. */
export type DatabaseUrls = { owner: string; app: string };

const plainName = /^[a-z][a-z0-9_]{0,40}$/;

/**
 * Creates a service's database and roles if they do not exist. Idempotent. `adminUrl` is a login that may
 * create roles and databases. The roles `lango_app` (the services' rights), `lango_lookup` (owner of the
 * look-up functions that run before a tenant is known) and `lango_platform` (the platform owner's
 * cross-tenant reader) cannot log in; `<service>_owner` and `<service>_app` can, each to this database only.
 */
export async function prepareDatabase(adminUrl: string, service: string): Promise<DatabaseUrls> {
	const urls = databaseUrls(adminUrl, service);
	await prepareDatabaseAt(adminUrl, urls);
	return urls;
}

/**
 * Like `prepareDatabase`, with the database, roles and passwords of `urls`. Throws an Error if the two URLs
 * have different databases, the same role, no password, or an invalid name.
 */
export async function prepareDatabaseAt(adminUrl: string, urls: DatabaseUrls): Promise<void> {
	const [owner, app] = [new URL(urls.owner), new URL(urls.app)];
	const name = app.pathname.slice(1);
	if (owner.pathname !== app.pathname)
		throw new Error(`the owner's URL has the database ${owner.pathname.slice(1)}, the other one ${name}`);
	if (owner.username === app.username)
		throw new Error(`"${app.username}" cannot be both the owner and the service's role`);
	for (const part of [name, owner.username, app.username])
		if (!plainName.test(part)) throw new Error(`"${part}" is not a valid name of a database or a role`);
	for (const { username, password } of [owner, app])
		if (password === "") throw new Error(`the URL of ${username} has no password`);
	await withAdmin(adminUrl, async (admin) => {
		await ensureRoles(admin, urls);
		const { rowCount } = await admin.query("select from pg_database where datname = $1", [name]);
		if (rowCount === 0) await createDatabase(admin, name, owner.username);
		await admin.query(`grant connect on database ${name} to ${app.username}`);
	});
}

/**
 * Runs `work` on an administrator's connection under a lock, so that roles and databases are created by one
 * process at a time. Throws the driver's error.
 */
export async function withAdmin<T>(adminUrl: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
	const admin = new pg.Client({
		connectionString: adminUrl,
		application_name: "lango-prepare",
		connectionTimeoutMillis: 10_000,
	});
	// A lost connection also rejects the current statement, which reports it.
	admin.on("error", () => undefined);
	await admin.connect();
	try {
		await admin.query("set statement_timeout = '5min'; select pg_advisory_lock(hashtext('lango-prepare'))");
		return await work(admin);
	} finally {
		await admin.end();
	}
}

/**
 * Creates the roles of `prepareDatabase` if they do not exist, and sets the passwords of the two that log in.
 */
export async function ensureRoles(admin: pg.ClientBase, urls: DatabaseUrls): Promise<void> {
	await admin.query(groupRoles);
	const owner = new URL(urls.owner);
	const app = new URL(urls.app);
	for (const url of [owner, app]) await ensureLogin(admin, url);
	await admin.query(`grant lango_app to ${app.username}; grant lango_lookup to ${owner.username}`);
}

/** Derives a service's two URLs from the administrator's: the same server, its own roles and database. */
export function databaseUrls(adminUrl: string, service: string): DatabaseUrls {
	if (!plainName.test(service)) throw new Error(`"${service}" is not a valid database name`);
	const derive = (role: string) => {
		const url = new URL(adminUrl);
		url.password = createHmac("sha256", decodeURIComponent(url.password)).update(role).digest("base64url");
		url.username = role;
		url.pathname = `/${service}`;
		return url.toString();
	};
	return { owner: derive(`${service}_owner`), app: derive(`${service}_app`) };
}

/** Creates an empty UTF-8 database that only its owner and roles with CONNECT can access. */
export async function createDatabase(admin: pg.ClientBase, name: string, owner: string): Promise<void> {
	if (![name, owner].every((part) => plainName.test(part)))
		throw new Error(`"${name}" is not a valid database name`);
	await admin.query(
		`create database ${name} owner ${owner} template template0 encoding 'UTF8' locale 'C.UTF-8'`,
	);
	await admin.query(`revoke all on database ${name} from public`);
}

/** lango_app does not inherit: a service must `set local role lango_platform` to read across tenants. */
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

async function ensureLogin(admin: pg.ClientBase, { username, password }: URL): Promise<void> {
	const { rowCount } = await admin.query("select from pg_roles where rolname = $1", [username]);
	const verb = rowCount === 0 ? "create" : "alter";
	const secret = admin.escapeLiteral(decodeURIComponent(password));
	await admin.query(`${verb} role ${username} login nosuperuser nobypassrls password ${secret}`);
}
