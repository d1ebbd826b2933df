import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constructionSql } from "@lango/jobs";
import { type Database, openPool } from "@lango/postgres";
import { PgBoss } from "pg-boss";
import { expect, test } from "vitest";
import { createTrialDatabase, sending, startTrial } from "./trial.ts";

const folder = join(import.meta.dirname, "../database");
const read = (file: string) => readFileSync(join(folder, file), "utf8");

async function isConnected(db: Database, user: string): Promise<boolean> {
	const [row] = await db.query<{ connections: number }>(
		"select count(*)::int as connections from pg_stat_activity where datname = current_database() and usename = $1",
		[user],
	);
	return row?.connections !== 0;
}

test("the migration equals the statements of the installed pg-boss", () => {
	expect(read("migrations/0001_pg_boss.sql")).toBe(constructionSql());
});

test("pg-boss finds no drift in the created tables", async () => {
	const database = await createTrialDatabase();
	const boss = new PgBoss({
		connectionString: database.ownerUrl,
		migrate: false,
		supervise: false,
		schedule: false,
		max: 1,
	});
	try {
		await boss.start();
		const drift = await boss.detectSchemaDrift();
		expect(drift).toMatchObject({ ok: true, missingTables: [], missing: [], mismatchedFunctions: [] });
	} finally {
		await boss.stop({ graceful: false });
		// pg-boss does not wait until its connection is closed. Dropping the database would break it off.
		await expect.poll(() => isConnected(database.db, "jobs_owner")).toBe(false);
		await database.drop();
	}
});

test("the service's role can run jobs and change nothing else of pg-boss", async () => {
	const database = await createTrialDatabase();
	const refused = [
		"create table pgboss.mine (id int)",
		"drop table pgboss.job",
		"truncate pgboss.job",
		"update pgboss.version set version = 1",
		"select pgboss.delete_queue('parcels.send')",
		"delete from pgboss.queue",
		"insert into pgboss.bam (name, version, table_name, command) values ('x', 1, 'job', 'drop table parcels')",
	];
	try {
		for (const statement of refused)
			await expect(database.db.query(statement), statement).rejects.toThrow(
				/permission denied|must be owner/,
			);
	} finally {
		await database.drop();
	}
});

test("jobs do not start without their tables, or with those of another version", async () => {
	const database = await createTrialDatabase();
	const owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
	try {
		await owner.query("update pgboss.version set version = version - 1");
		await expect(startTrial(database, [sending()])).rejects.toThrow("pg-boss database requires migrations");
		await owner.query("drop schema pgboss cascade");
		await expect(startTrial(database, [sending()])).rejects.toThrow("pg-boss is not installed");
	} finally {
		await owner.close();
		await database.drop();
	}
});
