import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
	applySchemas,
	createDatabase,
	type DatabaseUrls,
	databaseUrls,
	describeSchema,
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

/** A database of one test file: made from a template, with the roles and the tables a service would find. */
export type TestDatabase = {
	/** As the role a service works with: it neither owns nor bypasses row-level security. */
	url: string;
	/** As the owner of the tables, for what a test must arrange behind the service's back. */
	ownerUrl: string;
	/** A pool on `url`. */
	db: Pool;
	/**
	 * Closes the pool and drops the database. With `LANGO_KEEP_TEST_DATABASES` set it is kept and its address printed; a
	 * later run drops it when it is three hours old and nobody is connected.
	 */
	drop(): Promise<void>;
};

export type TestDatabaseOptions = {
	/** The service or package whose roles are used: `<name>_owner` and `<name>_app`. */
	name: string;
	sets: readonly MigrationSet[];
};

const leftoverAgeMinutes = 180;
const leftoversAtOnce = 3;
const copyAttemptsMax = 5;

/**
 * Makes a database with the sets' tables for one test file. All files with the same migrations share one template,
 * made by the first of them. Throws an Error when `TEST_DATABASE_URL`, an administrator's address, is not set.
 */
export async function createTestDatabase({ name, sets }: TestDatabaseOptions): Promise<TestDatabase> {
	const { adminUrl, keep } = readSettings();
	const template = `lango_test_${name.slice(0, 12)}_${await contentHash(databaseUrls(adminUrl, name), sets)}_template`;
	const { urls, database } = nameDatabase(adminUrl, name);
	await store.asAdmin(adminUrl, async (admin) => {
		await dropLeftovers(admin);
		for (let attempt = 1; ; attempt += 1) {
			await ensureTemplate(admin, { template, urls: at(urls, template), sets });
			try {
				return await store.copyTemplate(admin, template, { name: database, urls });
			} catch (error) {
				// Another process may have dropped the template as too old, or be at it.
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

/** The proof that each `schema.sql` says what the migrations do: both lists are equal. Sets are applied in their order. */
export async function compareSchemas(
	name: string,
	sets: readonly MigrationSet[],
): Promise<{ fromMigrations: string[]; fromSchema: string[] }> {
	const { adminUrl } = readSettings();
	const migrated = await createTestDatabase({ name, sets });
	const { urls, database } = nameDatabase(adminUrl, name);
	try {
		await store.asAdmin(adminUrl, (admin) => createDatabase(admin, database, new URL(urls.owner).username));
		await applySchemas(urls.owner, sets);
		return { fromMigrations: await describe(migrated.ownerUrl), fromSchema: await describe(urls.owner) };
	} finally {
		await migrated.drop();
		await store.asAdmin(adminUrl, (admin) => store.dropDatabase(admin, database));
	}
}

/** Tables of every domain service that have an outlet_id and no restrictive policy on it, each with the reason. */
export const unboundByDesign: Readonly<Record<string, string>> = {
	user_role_assignments: "what a person may do is read before the outlet scope is known; the routes filter",
};

/**
 * What the tables of a service are judged by: those with a tenant_id that lack their policy, those that lack a foreign
 * key to their tenant (a test of a domain service expects none of either), those with an outlet_id that lack the restrictive
 * policy (a test expects those exempted by name), and the two lists of `compareSchemas` (a test expects them equal).
 */
export async function inspectTables(service: { name: string; migrations: readonly MigrationSet[] }): Promise<{
	unguarded: string[];
	untied: string[];
	unbound: string[];
	fromMigrations: string[];
	fromSchema: string[];
}> {
	const { name, migrations: sets } = service;
	const database = await createTestDatabase({ name, sets });
	try {
		return {
			unguarded: await listUnguardedTables(database.db),
			untied: await listUntiedTables(database.db),
			unbound: await listUnboundTables(database.db),
			...(await compareSchemas(name, sets)),
		};
	} finally {
		await database.drop();
	}
}

async function describe(url: string): Promise<string[]> {
	const db = openPool({ url, name: "describe-schema", sizeMax: 1 });
	try {
		return await describeSchema(db);
	} finally {
		await db.close();
	}
}

function readSettings(): { adminUrl: string; keep: boolean } {
	// biome-ignore lint/style/noProcessEnv: what the runner of the tests says, it can say nowhere else
	const { TEST_DATABASE_URL: adminUrl, LANGO_KEEP_TEST_DATABASES: keep } = process.env;
	if (!adminUrl) throw new Error("TEST_DATABASE_URL is not set: run the tests with `npm test`");
	return { adminUrl, keep: Boolean(keep) };
}

/** What a template is made of. The derived passwords belong to it: with another administrator they are others. */
async function contentHash(urls: DatabaseUrls, sets: readonly MigrationSet[]): Promise<string> {
	const migrations = await Promise.all(sets.map(readMigrations));
	return createHash("sha256")
		.update(JSON.stringify([urls, migrations]))
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

type Template = { template: string; urls: DatabaseUrls; sets: readonly MigrationSet[] };

async function ensureTemplate(admin: pg.Client, { template, urls, sets }: Template): Promise<void> {
	if (await store.isTemplateReady(admin, template)) return;
	await store.alone(admin, async () => {
		if (await store.isTemplateReady(admin, template)) return;
		await store.beginTemplate(admin, template, urls);
		try {
			await migrate(urls.owner, sets);
			await store.finishTemplate(admin, template);
		} catch (error) {
			await store.dropDatabase(admin, template);
			throw error;
		}
	});
}

/** Drops a few of what runs that crashed have left, and of templates whose migrations are long gone. */
async function dropLeftovers(admin: pg.Client): Promise<void> {
	const { databases, templates } = await store.listLeftovers(admin);
	const latest = Math.floor(Date.now() / 60_000) - leftoverAgeMinutes;
	const old = databases.filter((name) => {
		const minute = store.testName.exec(name)?.[1];
		return minute !== undefined && Number.parseInt(minute, 36) < latest;
	});
	for (const name of [...templates, ...old].slice(0, leftoversAtOnce)) await store.dropDatabase(admin, name);
}
