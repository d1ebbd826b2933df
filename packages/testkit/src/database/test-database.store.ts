import { createDatabase, type DatabaseUrls, ensureRoles } from "@lango/postgres";
import pg from "pg";

/**
 * Test databases are named `lango_test_<service>_<minute of creation, base 36>_<random>`, templates
 * `lango_test_<service>_<hash>_template`.
 */
export const testName = /^lango_test_[a-z0-9_]+_([0-9a-z]{6})_[0-9a-f]{8}$/;

const templateAgeMax = "7 days";

const pools = new Map<string, pg.Pool>();

/** Connecting costs more than what is asked, so the files that a process runs share connections. */
function poolAt(adminUrl: string): pg.Pool {
	const open = pools.get(adminUrl);
	if (open !== undefined) return open;
	const pool = new pg.Pool({
		connectionString: adminUrl,
		application_name: "lango-testkit",
		connectionTimeoutMillis: 10_000,
		options: "-c statement_timeout=60s -c client_min_messages=warning",
		idleTimeoutMillis: 0,
		allowExitOnIdle: true,
	});
	// The server may end an idle connection: the next work gets another one.
	pool.on("error", () => undefined);
	pools.set(adminUrl, pool);
	return pool;
}

/** Runs `work` on an administrator's connection. Throws the driver's error. */
export async function asAdmin<T>(adminUrl: string, work: (admin: pg.ClientBase) => Promise<T>): Promise<T> {
	const admin = await poolAt(adminUrl).connect();
	// A lost connection also rejects the current statement, which reports it.
	const ignore = () => undefined;
	admin.on("error", ignore);
	let hasFailed = true;
	try {
		const result = await work(admin);
		hasFailed = false;
		return result;
	} finally {
		admin.off("error", ignore);
		// A failed one may still have locks.
		admin.release(hasFailed);
	}
}

/** Runs `work` under a lock, so that one process at a time creates or drops templates. */
export async function alone(admin: pg.ClientBase, work: () => Promise<void>): Promise<void> {
	await admin.query("select pg_advisory_lock(hashtext('lango-test-templates'))");
	try {
		await work();
	} finally {
		await admin.query("select pg_advisory_unlock(hashtext('lango-test-templates'))");
	}
}

/**
 * Whether the template exists and is complete. A complete template refuses connections, so that it can be
 * copied at any time.
 */
export async function isTemplateReady(admin: pg.ClientBase, template: string): Promise<boolean> {
	const { rowCount } = await admin.query("select from pg_database where datname = $1 and not datallowconn", [
		template,
	]);
	return rowCount === 1;
}

/**
 * Creates the empty database of a template, with the service's roles. Incomplete templates are dropped: under
 * the lock of `alone`, no other process is creating one.
 */
export async function beginTemplate(
	admin: pg.ClientBase,
	template: string,
	urls: DatabaseUrls,
): Promise<void> {
	// The lock for creating roles, also taken by `prepareDatabase`.
	await admin.query("select pg_advisory_lock(hashtext('lango-prepare'))");
	await ensureRoles(admin, urls);
	await admin.query("select pg_advisory_unlock(hashtext('lango-prepare'))");
	const { rows } = await admin.query<{ name: string }>(
		"select datname as name from pg_database where datname like 'lango\\_test\\_%\\_template' and datallowconn limit 20",
	);
	for (const { name } of rows) await dropDatabase(admin, name);
	await dropDatabase(admin, template);
	await createDatabase(admin, template, new URL(urls.owner).username);
	await openToApp(admin, { name: template, urls });
}

/** Closes a complete template to connections and records the time. */
export async function finishTemplate(admin: pg.ClientBase, template: string): Promise<void> {
	const madeAt = admin.escapeLiteral(new Date().toISOString());
	await admin.query(`comment on database ${template} is ${madeAt}`);
	await admin.query(`alter database ${template} allow_connections false`);
}

/** Copies the template, or creates an empty database without one, for the service's two roles. */
export async function copyTemplate(
	admin: pg.ClientBase,
	template: string,
	to: { name: string; urls: DatabaseUrls },
): Promise<void> {
	const owner = new URL(to.urls.owner).username;
	// By default every page is also written to the log, which takes twice as long.
	await admin.query(`create database ${to.name} owner ${owner} template ${template} strategy file_copy`);
	await openToApp(admin, to);
}

/** Allows only the service's role to connect to a database. */
async function openToApp(
	admin: pg.ClientBase,
	{ name, urls }: { name: string; urls: DatabaseUrls },
): Promise<void> {
	await admin.query(
		`revoke all on database ${name} from public; grant connect on database ${name} to ${new URL(urls.app).username}`,
	);
}

/** Drops a database and its connections. Does nothing if it does not exist. */
export async function dropDatabase(admin: pg.ClientBase, name: string): Promise<void> {
	await admin.query(`drop database if exists ${name} with (force)`);
}

/** Lists test databases without connections, and old templates. */
export async function listLeftovers(
	admin: pg.ClientBase,
): Promise<{ databases: string[]; templates: string[] }> {
	const { rows } = await admin.query<{ name: string; is_template: boolean }>(
		`select datname as name, not datallowconn as is_template
		   from pg_database d
		  where datname like 'lango\\_test\\_%'
		    and not exists (select from pg_stat_activity a where a.datid = d.oid)
		    and (datallowconn or shobj_description(oid, 'pg_database')::timestamptz < now() - $1::interval)
		  order by datname
		  limit 500`,
		[templateAgeMax],
	);
	const named = (wanted: boolean) =>
		rows.filter(({ is_template }) => is_template === wanted).map(({ name }) => name);
	return { databases: named(false), templates: named(true) };
}
