import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTestDatabase } from "@lango/testkit";
import pg from "pg";
import { expect, test } from "vitest";
import { parts } from "../../tools/up.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Runs a file of deploy/sizes as psql does, on a new database of the service: bytes a row, by table. */
async function measure(name: string, file: string): Promise<Record<string, number>> {
	const service = parts.services.find((part) => part.service.name === name)?.service;
	if (service === undefined) throw new Error(`there is no service ${name}`);
	const database = await createTestDatabase({ name, sets: service.migrations });
	const url = new URL(process.env.TEST_DATABASE_URL ?? "");
	url.pathname = new URL(database.url).pathname;
	const admin = new pg.Client({ connectionString: url.toString() });
	await admin.connect();
	try {
		const statements = read(file).replaceAll(/^\\.*$/gm, "");
		const results = (await admin.query(statements)) as unknown as pg.QueryResult[];
		const rows = results.flatMap(({ rows }) => rows as Array<Record<string, string>>);
		const left = await admin.query("select count(*)::int as tenants from tenants");
		expect(left.rows).toEqual([{ tenants: 0 }]);
		return Object.fromEntries(rows.map((row) => [row["table"] ?? "", Number(row["bytes a row"])]));
	} finally {
		await admin.end();
		await database.drop();
	}
}

/** What the page says, by table, of one database. */
function said(database: string): Record<string, number> {
	const lines = read("docs/pages/operating.md").matchAll(/^\| (.+) \| `(\w+)` \| .+ \| ([\d,]+) \|$/gm);
	const rows = [...lines].filter(([, where]) => where === database);
	return Object.fromEntries(
		rows.map(([, , table = "", bytes = ""]) => [table, Number(bytes.replace(",", ""))]),
	);
}

test.each([
	["the sign-on service", "auth", "deploy/sizes/auth.sql"],
	["every domain service", "hospital", "deploy/sizes/domain-service.sql"],
	["the notification service", "notifications", "deploy/sizes/notifications.sql"],
])(
	"rows of %s take about the bytes that the page of operating says, and none is left behind",
	async (where, name, file) => {
		const [measured, documented] = [await measure(name, file), said(where)];
		expect(Object.keys(documented).toSorted()).toEqual(Object.keys(measured).toSorted());
		for (const [table, bytes] of Object.entries(measured)) {
			expect(Math.abs((documented[table] ?? 0) / bytes - 1), `${table}: ${bytes}`).toBeLessThan(0.2);
		}
	},
);
