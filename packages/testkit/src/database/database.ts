import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
	type Database,
	type DatabaseUrls,
	databaseUrls,
	listKeysWithoutTenant,
	listUnboundTables,
	listUnguardedTables,
	listUntiedTables,
	type MigrationSet,
	migrate,
	openPool,
	type Pool,
	readMigrations,
} from "@lango/postgres";
import type pg from "pg";
import * as store from "./test-database.store.ts";

/** The database of one test file: a copy of a template, with a service's roles and tables. */
export type TestDatabase = {
	/** The URL with the service's role, which owns no table and cannot bypass row-level security. */
	url: string;
	/** The URL with the role that owns the tables, for set-up that the service's role cannot do. */
	ownerUrl: string;
	/** A pool on `url`. */
	db: Pool;
	/**
	 * Closes the pool and drops the database. With `LANGO_KEEP_TEST_DATABASES` the database is kept and
	 * its URL printed; a later run drops it when it is three hours old and has no connections.
	 */
	drop(): Promise<void>;
};

export type TestDatabaseOptions = {
	/** The service or package that the roles `<name>_owner` and `<name>_app` belong to. */
	name: string;
	sets: readonly MigrationSet[];
	/** Rows that every copy of the template has, written once by the service's role. */
	rows?: TemplateRows;
};

/** `version` differs when the rows do: it is part of the template's name. */
export type TemplateRows = { version: string; write(db: Database): Promise<void> };

const leftoverAgeMinutes = 180;
const leftoversAtOnce = 3;
const copyAttemptsMax = 5;

let createElsewhere: typeof createTestDatabase | undefined;

/** Lets `createTestDatabase` create its databases by another function, on a cluster (tests/citus). */
export function createTestDatabasesBy(create: typeof createTestDatabase): void {
	createElsewhere = create;
}

/**
 * Creates a database with the sets' tables for one test file. Files with the same migrations and rows
 * share a template, which the first of them creates. Throws an Error if `TEST_DATABASE_URL`, an
 * administrator's URL, is not set.
 */
export async function createTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
	if (createElsewhere !== undefined) return createElsewhere(options);
	const { name, sets, rows } = options;
	const { adminUrl, keep } = readSettings();
	const hash = await contentHash(databaseUrls(adminUrl, name), sets, rows?.version);
	const template = `lango_test_${name.slice(0, 12)}_${hash}_template`;
	const { urls, database } = nameDatabase(adminUrl, name);
	await store.asAdmin(adminUrl, async (admin) => {
		await dropLeftovers(admin);
		for (let attempt = 1; ; attempt += 1) {
			await ensureTemplate(admin, { template, urls: at(urls, template), sets, rows });
			try {
				return await store.copyTemplate(admin, template, { name: database, urls });
			} catch (error) {
				// Another process may have dropped the template because of its age, or is copying it.
				const code = (error as { code?: string }).code;
				if ((code !== "3D000" && code !== "55006") || attempt === copyAttemptsMax) throw error;
				await sleep(50 * attempt);
			}
		}
	});
	const db = openPool({ url: urls.app, name: `${name}-test`, sizeMax: 8 });
	return {
		url: urls.app,
		ownerUrl: urls.owner,
		db,
		drop: async () => {
			await db.close();
			if (keep) return void process.stderr.write(`kept: ${urls.owner}\n`);
			await store.asAdmin(adminUrl, (admin) => store.dropDatabase(admin, database));
		},
	};
}

/**
 * The tables of every domain service that have an outlet_id but no restrictive policy on it, with the
 * reason.
 */
export const unboundByDesign: Readonly<Record<string, string>> = {
	user_role_assignments: "permissions are read before the outlet scope is known; the routes filter",
};

/**
 * Inspects the tables of a service. Returns those with a tenant_id but without its policy or without a
 * foreign key to the tenant (a domain service's test expects none), and those with an outlet_id but
 * without the restrictive policy, and keys that do not carry the tenant (a test expects the exempt ones).
 */
export async function inspectTables(service: { name: string; migrations: readonly MigrationSet[] }): Promise<{
	unguarded: string[];
	untied: string[];
	unbound: string[];
	keysWithoutTenant: string[];
}> {
	const { name, migrations: sets } = service;
	const database = await createTestDatabase({ name, sets });
	try {
		return {
			unguarded: await listUnguardedTables(database.db),
			untied: await listUntiedTables(database.db),
			unbound: await listUnboundTables(database.db),
			keysWithoutTenant: await listKeysWithoutTenant(database.db),
		};
	} finally {
		await database.drop();
	}
}

function readSettings(): { adminUrl: string; keep: boolean } {
	// biome-ignore lint/style/noProcessEnv: the test runner passes its settings in the environment
	const { TEST_DATABASE_URL: adminUrl, LANGO_KEEP_TEST_DATABASES: keep } = process.env;
	if (!adminUrl) throw new Error("TEST_DATABASE_URL is not set: run the tests with `npm test`");
	return { adminUrl, keep: Boolean(keep) };
}

/**
 * The name of a template contains this hash. The derived passwords are part of it, because they depend on
 * the administrator.
 */
async function contentHash(
	urls: DatabaseUrls,
	sets: readonly MigrationSet[],
	rows: string | undefined,
): Promise<string> {
	const migrations = await Promise.all(sets.map(readMigrations));
	return createHash("sha256")
		.update(JSON.stringify([urls, migrations, rows]))
		.digest("hex")
		.slice(0, 8);
}

function nameDatabase(adminUrl: string, name: string): { urls: DatabaseUrls; database: string } {
	const minute = Math.floor(Date.now() / 60_000)
		.toString(36)
		.padStart(6, "0");
	const database = `lango_test_${name.slice(0, 12)}_${minute}_${randomBytes(4).toString("hex")}`;
	return { urls: at(databaseUrls(adminUrl, name), database), database };
}

function at(urls: DatabaseUrls, database: string): DatabaseUrls {
	const move = (address: string) => {
		const url = new URL(address);
		url.pathname = `/${database}`;
		return url.toString();
	};
	return { owner: move(urls.owner), app: move(urls.app) };
}

type Template = {
	template: string;
	urls: DatabaseUrls;
	sets: readonly MigrationSet[];
	rows: TemplateRows | undefined;
};

async function ensureTemplate(admin: pg.ClientBase, { template, urls, sets, rows }: Template): Promise<void> {
	if (await store.isTemplateReady(admin, template)) return;
	await store.alone(admin, async () => {
		if (await store.isTemplateReady(admin, template)) return;
		await store.beginTemplate(admin, template, urls);
		try {
			await migrate(urls.owner, sets);
			if (rows !== undefined) await writeRows(urls.app, rows);
			await store.finishTemplate(admin, template);
		} catch (error) {
			await store.dropDatabase(admin, template);
			throw error;
		}
	});
}

async function writeRows(url: string, rows: TemplateRows): Promise<void> {
	const db = openPool({ url, name: "fill-template", sizeMax: 2 });
	try {
		await rows.write(db);
	} finally {
		await db.close();
	}
}

/** Drops some databases of crashed runs, and templates of old migrations. */
async function dropLeftovers(admin: pg.ClientBase): Promise<void> {
	const { databases, templates } = await store.listLeftovers(admin);
	const latest = Math.floor(Date.now() / 60_000) - leftoverAgeMinutes;
	const old = databases.filter((name) => {
		const minute = store.testName.exec(name)?.[1];
		return minute !== undefined && Number.parseInt(minute, 36) < latest;
	});
	for (const name of [...templates, ...old].slice(0, leftoversAtOnce)) await store.dropDatabase(admin, name);
}
