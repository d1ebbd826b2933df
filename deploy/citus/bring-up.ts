import { createHmac } from "node:crypto";
import { type DatabaseUrls, type MigrationSet, migrate, prepareDatabaseAt } from "@lango/postgres";
import type pg from "pg";
import * as store from "./cluster.store.ts";
import { type Plan, plans } from "./plans.ts";
import { listPolicies, mergeRestrictive } from "./policies.store.ts";

/** The administrator's URL of each node, as the other nodes reach it. */
export type Cluster = { coordinatorUrl: string; workerUrls: readonly string[] };

/** A service by the name of its plan. */
export type Distributed = { name: string; migrations: readonly MigrationSet[] };

/**
 * Creates the database of a service on every node and distributes its tables and functions. Each run brings
 * every part to its wanted state: what an earlier run distributed stays. Throws an Error if a node lacks a
 * setting, if the service has no plan, if a restrictive policy cannot be merged, or if a statement fails.
 */
export async function bringUp(
	{ coordinatorUrl, workerUrls }: Cluster,
	service: Distributed & { urls: DatabaseUrls },
): Promise<void> {
	const { name, migrations, urls } = service;
	const plan = plans[name];
	if (plan === undefined) throw new Error(`${name} has no plan in deploy/citus/plans.ts`);
	const passwords = passwordsOf(coordinatorUrl, urls);
	for (const node of [coordinatorUrl, ...workerUrls]) {
		const at = (url: string) => withHost(url, node);
		await prepareDatabaseAt(node, { owner: at(urls.owner), app: at(urls.app) });
		await store.connected(withDatabase(node, urls.app), async (client) => {
			const missing = await store.listMissingSettings(client);
			if (missing.length > 0) throw new Error(`${new URL(node).host}: ${missing.join("; ")}`);
			await store.admitRoles(client, passwords);
		});
	}
	const coordinator = withDatabase(coordinatorUrl, urls.app);
	await store.connected(coordinator, (client) =>
		store.addNodes(client, {
			coordinator: new URL(coordinatorUrl),
			workers: workerUrls.map((url) => new URL(url)),
		}),
	);
	await migrate(urls.owner, migrations);
	await store.connected(coordinator, async (client) => {
		await store.together(client, () => distribute(client, plan));
		await store.grantColumns(client);
	});
}

/** Brings each part to the state that it needs on a cluster, whatever an earlier run did. */
async function distribute(
	client: pg.Client,
	{ reference, local = [], unenforced = [], functions }: Plan,
): Promise<void> {
	await store.setSessionDefaults(client);
	const distributed = await store.listTenantTables(client, [...reference, ...local]);
	const tables = [...reference, ...distributed];
	await store.dropNotifications(client, tables);
	for (const statement of mergeRestrictive(await listPolicies(client, tables))) await client.query(statement);
	const grants = await store.listViewGrants(client);
	await store.distributeTables(client, { reference, distributed, unenforced });
	for (const statement of grants) await client.query(statement);
	const [table = ""] = distributed;
	for (const [name, delegation] of Object.entries(functions))
		await store.distributeFunction(client, { name, delegation, table });
}

/** The passwords of the roles by which nodes connect to each other. */
function passwordsOf(adminUrl: string, { owner, app }: DatabaseUrls): Map<string, string> {
	const admin = new URL(adminUrl);
	const secret = decodeURIComponent(admin.password);
	if (secret === "") throw new Error("The administrator's URLs in CITUS_URL need a password.");
	const derived = (role: string) => createHmac("sha256", secret).update(role).digest("base64url");
	return new Map([
		...[owner, app, adminUrl].map((url): [string, string] => {
			const { username, password } = new URL(url);
			return [username, decodeURIComponent(password)];
		}),
		...["lango_lookup", "lango_platform"].map((role): [string, string] => [role, derived(role)]),
	]);
}

function withHost(url: string, node: string): string {
	const [moved, { hostname, port }] = [new URL(url), new URL(node)];
	moved.hostname = hostname;
	moved.port = port;
	return moved.toString();
}

function withDatabase(node: string, url: string): string {
	const moved = new URL(node);
	moved.pathname = new URL(url).pathname;
	return moved.toString();
}
