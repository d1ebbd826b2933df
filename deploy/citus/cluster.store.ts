import pg from "pg";
import type { Delegation } from "./plans.ts";

/** Runs `work` on a connection of its own. Throws the driver's error. */
export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = new pg.Client({
		connectionString: url,
		application_name: "lango-citus",
		connectionTimeoutMillis: 10_000,
	});
	// A lost connection also rejects the current statement, which reports it.
	client.on("error", () => undefined);
	await client.connect();
	try {
		await client.query("set client_min_messages = warning; set statement_timeout = '10min'");
		return await work(client);
	} finally {
		await client.end();
	}
}

/**
 * Runs `work` in one transaction: all of it is done or none of it. Each statement waits for the one before it
 * on every shard, as a transaction that changes the tables of a cluster must.
 */
export async function together(client: pg.Client, work: () => Promise<void>): Promise<void> {
	await client.query("begin; set local citus.multi_shard_modify_mode = 'sequential'");
	await work();
	await client.query("commit");
}

/** Without one of these a cluster finds no rows or refuses writes, so it is not brought up. */
export const requiredSettings: Readonly<Record<string, string>> = {
	"citus.propagate_set_commands": "local",
	"citus.enable_unsafe_triggers": "on",
};

/** The settings that a node lacks, as `name must be …, not …`. Creates the extension, which defines them. */
export async function listMissingSettings(client: pg.Client): Promise<string[]> {
	await client.query("create extension if not exists citus");
	const { rows } = await client.query<{ name: string; wanted: string; value: string | null }>(
		`select name, wanted, current_setting(name, true) as value from jsonb_each_text($1) s (name, wanted)
		  where current_setting(name, true) is distinct from wanted
		 union all
		 select 'max_prepared_transactions', 'at least max_connections', current_setting('max_prepared_transactions')
		  where current_setting('max_prepared_transactions')::int < current_setting('max_connections')::int`,
		[JSON.stringify(requiredSettings)],
	);
	return rows.map(({ name, wanted, value }) => `${name} must be ${wanted}, not ${value ?? "unset"}`);
}

/**
 * Lets the roles of the look-ups log in from other nodes, and stores the passwords of all roles. On this node
 * only: a worker may not change the others.
 */
export async function admitRoles(client: pg.Client, passwords: ReadonlyMap<string, string>): Promise<void> {
	await client.query("set citus.enable_ddl_propagation = off");
	for (const role of ["lango_lookup", "lango_platform"]) {
		const password = client.escapeLiteral(passwords.get(role) ?? "");
		await client.query(`alter role ${role} login password ${password}`);
		await client.query(`grant connect on database ${client.database} to ${role}`);
	}
	for (const [role, password] of passwords)
		await client.query(
			`insert into pg_dist_authinfo (nodeid, rolename, authinfo) values (0, $1, $2)
			 on conflict (nodeid, rolename) do update set authinfo = excluded.authinfo`,
			[role, `password=${password}`],
		);
}

/** Makes the connected node the coordinator of these workers. */
export async function addNodes(
	client: pg.Client,
	{ coordinator, workers }: { coordinator: URL; workers: readonly URL[] },
): Promise<void> {
	await client.query("select citus_set_coordinator_host($1, $2)", [
		coordinator.hostname,
		portOf(coordinator),
	]);
	for (const worker of workers)
		await client.query("select citus_add_node($1, $2)", [worker.hostname, portOf(worker)]);
}

const portOf = ({ port }: URL) => Number(port || 5432);

/** Tables that have the tenant in their key, without `others`. */
export async function listTenantTables(client: pg.Client, others: readonly string[]): Promise<string[]> {
	const { rows } = await client.query<{ name: string }>(
		`select c.relname as name
		   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
		   join pg_index i on i.indrelid = c.oid and i.indisprimary and a.attnum = any (i.indkey)
		  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> all ($1)
		  order by 1`,
		[others],
	);
	return rows.map(({ name }) => name);
}

/**
 * Removes the triggers that notify: a transaction on several nodes is prepared, and one that has notified
 * cannot be.
 */
export async function dropNotifications(client: pg.Client, tables: readonly string[]): Promise<void> {
	const { rows } = await client.query<{ statement: string }>(
		`select format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass) as statement
		   from pg_trigger t join pg_proc p on p.oid = t.tgfoid
		  where not t.tgisinternal and p.prosrc like '%pg_notify%' and t.tgrelid = any ($1::text[]::regclass[])`,
		[tables],
	);
	for (const { statement } of rows) await client.query(statement);
}

/**
 * Sets what each session of the services needs. A prepared statement is planned each time: a plan that is
 * used for all tenants calls a function on the coordinator, and not on the node of its tenant. A change of
 * rows of many tenants goes over the shards one after the other: after a parallel one the same transaction
 * may not change a reference table.
 */
export async function setSessionDefaults(client: pg.Client): Promise<void> {
	const { database } = client;
	await client.query(`alter database ${database} set plan_cache_mode = force_custom_plan`);
	await client.query(`alter database ${database} set citus.multi_shard_modify_mode = 'sequential'`);
}

/**
 * Copies the reference tables to every node and distributes the others by their tenant, except those that
 * are distributed already. A foreign key is refused while only one of its tables is distributed, so those
 * between distributed tables are added last. One that follows a change of the tenant's id, or sets a column
 * to null with the row that it names, is refused, so it does neither here. One between a distributed table
 * and a table on the coordinator is refused, too, and `unenforced` names those that are removed.
 */
export async function distributeTables(
	client: pg.Client,
	{
		reference,
		distributed,
		unenforced,
	}: { reference: readonly string[]; distributed: readonly string[]; unenforced: readonly string[] },
): Promise<void> {
	const isLocal = await localTables(client);
	const added = distributed.filter(isLocal);
	const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(
		`select conrelid::regclass::text as table, quote_ident(conname) as name,
		        regexp_replace(pg_get_constraintdef(oid), ' ON UPDATE CASCADE| ON DELETE SET NULL \\(.*?\\)', '', 'g') as definition
		   from pg_constraint
		  where contype = 'f' and (conrelid = any ($1::text[]::regclass[])
		    and (confrelid = any ($2::text[]::regclass[]) or confupdtype = 'c') or conname = any ($3))`,
		[added, distributed, unenforced],
	);
	for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`);
	for (const table of reference.filter(isLocal))
		await client.query("select create_reference_table($1::text::regclass)", [table]);
	const first = distributed.find((table) => !isLocal(table));
	for (const table of added)
		await client.query(
			"select create_distributed_table($1::text::regclass, 'tenant_id', colocate_with => $2)",
			[table, first ?? (table === added[0] ? "none" : added[0])],
		);
	for (const { table, name, definition } of keys)
		if (!unenforced.includes(name))
			await client.query(`alter table ${table} add constraint ${name} ${definition}`);
}

/**
 * Lists the statements that grant rights on whole views to roles. Citus creates a view again when it changes
 * a table that the view reads, and forgets them.
 */
export async function listViewGrants(client: pg.Client): Promise<string[]> {
	const { rows } = await client.query<{ statement: string }>(
		`select format('grant %s on %s to %I', a.privilege_type, c.oid::regclass, a.grantee::regrole) as statement
		   from pg_class c, aclexplode(c.relacl) a
		  where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' and a.grantee <> c.relowner and a.grantee <> 0`,
	);
	return rows.map(({ statement }) => statement);
}

/**
 * Grants the rights on single columns on every shard and every copy of a table: Citus passes on rights on
 * whole tables only. Throws an Error if a node refuses one.
 */
export async function grantColumns(client: pg.Client): Promise<void> {
	const { rows } = await client.query<{ place: string; error: string }>(
		`with granted as (
		   select c.oid::regclass as name, a.privilege_type as right_name, a.grantee::regrole::text as role_name,
		          string_agg(quote_ident(k.attname), ', ') as columns
		     from pg_dist_partition d join pg_class c on c.oid = d.logicalrelid
		     join pg_attribute k on k.attrelid = c.oid and not k.attisdropped
		    cross join lateral aclexplode(k.attacl) a
		    where c.relnamespace = 'public'::regnamespace
		    group by c.oid, a.privilege_type, a.grantee
		 )
		 select p.nodename || ':' || p.nodeport || ' ' || p.shardid as place, p.result as error
		   from granted g
		  cross join lateral run_command_on_placements(
		        g.name, format('grant %s (%s) on %%s to %s', g.right_name, g.columns, g.role_name)) p
		  where not p.success`,
	);
	const [refused] = rows;
	if (refused !== undefined)
		throw new Error(`a right on columns was not granted at ${refused.place}: ${refused.error}`);
}

/** Whether a table has its rows on the coordinator only. */
async function localTables(client: pg.Client): Promise<(table: string) => boolean> {
	const { rows } = await client.query<{ name: string }>(
		"select logicalrelid::text as name from pg_dist_partition where partmethod = 'h' or repmodel = 't'",
	);
	const known = new Set(rows.map(({ name }) => name));
	return (table) => !known.has(table);
}

/** Puts a function on every node. It is planned for each tenant, as everything is. */
export async function distributeFunction(
	client: pg.Client,
	{ name, delegation, table }: { name: string; delegation: Delegation; table: string },
): Promise<void> {
	const { rows } = await client.query<{ signature: string }>(
		"select oid::regprocedure::text as signature from pg_proc where pronamespace = 'public'::regnamespace and proname = $1",
		[name],
	);
	if (rows.length === 0) throw new Error(`the function ${name} does not exist`);
	for (const { signature } of rows) {
		await client.query(`alter function ${signature} reset plan_cache_mode`);
		await (delegation === "never"
			? client.query("select create_distributed_function($1::text::regprocedure)", [signature])
			: client.query("select create_distributed_function($1::text::regprocedure, 'p_tenant', $2, $3)", [
					signature,
					table,
					delegation === "always",
				]));
	}
}
