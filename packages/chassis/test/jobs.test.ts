import { eventMigrations, inProcessTransport } from "@lango/events";
import { defineJob, defineSchedule, enqueueJob, jobMigrations } from "@lango/jobs";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, expect, test } from "vitest";
import { buildService, type ServiceDefinition } from "../src/index.ts";
import { defineShop, environmentOf } from "./shop.ts";

type Counter = { receipts: string[] };
const printReceipt = defineJob<Counter>({
	name: "receipts.print",
	retries: 0,
	work: async ({ receipts }, { id, now }) => {
		if (id === "jammed") throw new Error("paper jam");
		receipts.push(`${id} at ${now().toISOString()}`);
	},
});
const countStock = defineSchedule<Counter>({
	name: "stock.count",
	everySeconds: 3_600,
	work: async ({ receipts }) => void receipts.push("stock counted"),
});

const database = setUp(
	() => createTestDatabase({ name: "shop", sets: [eventMigrations, jobMigrations] }),
	({ drop }) => drop(),
);
const transport = inProcessTransport();
afterAll(() => transport.close());

const receipts: string[] = [];
const logged: string[] = [];

const build = (more: { jobs?: "by hand" } = {}, definition: Partial<ServiceDefinition> = {}) =>
	buildService(
		defineShop(undefined, {
			migrations: [eventMigrations, jobMigrations],
			dependencies: async () => ({ receipts }),
			jobs: [printReceipt, countStock] as ServiceDefinition["jobs"] & object,
			...definition,
		}),
		{
			environment: environmentOf(database.url),
			transport,
			now: () => new Date("2026-03-01T12:00:00Z"),
			logTo: { write: (line) => void logged.push(line) },
			...more,
		},
	);

test("with jobs by hand, jobs run only when a test calls them, with its dependencies and its time", async () => {
	const shop = await build({ jobs: "by hand" });
	await enqueueJob(shop.db, printReceipt, { id: "r1" });
	expect(receipts).toEqual([]);
	expect(await shop.jobs.runDue()).toBe(2);
	expect(receipts).toEqual(["r1 at 2026-03-01T12:00:00.000Z", "stock counted"]);
	await shop.jobs.run("stock.count");
	expect(receipts.at(-1)).toBe("stock counted");
	await shop.close();
});

test("a running service runs its jobs, measures them, and logs failures", async () => {
	receipts.length = 0;
	const shop = await build();
	await enqueueJob(shop.db, printReceipt, { id: "r2" });
	await enqueueJob(shop.db, printReceipt, { id: "jammed" });
	await expect.poll(() => receipts.length).toBe(1);
	await expect.poll(() => logged.filter((line) => line.includes("paper jam")).length).toBe(1);
	await expect
		.poll(async () => (await shop.app.inject("/metrics")).body)
		.toMatch(
			/lango_job_duration_seconds_count\{[^}]*lango_job_name="receipts\.print"[^}]*lango_job_outcome="failed"[^}]*\} 1\b/,
		);
	const { body } = await shop.app.inject("/metrics");
	expect(body).toMatch(
		/lango_job_duration_seconds_count\{[^}]*lango_job_name="receipts\.print"[^}]*lango_job_outcome="done"[^}]*\} \d/,
	);
	expect(body).toMatch(/lango_jobs_ready\{[^}]*lango_job_name="stock\.count"[^}]*\} 0/);
	expect(body).toMatch(/lango_jobs_dead_letters\{[^}]*lango_job_name="receipts\.print"[^}]*\} \d/);
	await shop.close();
	const { length } = await database.db.query(
		"select from pg_stat_activity where application_name = 'lango-shop-jobs'",
	);
	expect(length).toBe(0);
});

test("a service that declares jobs without their tables does not start", async () => {
	const bare = await createTestDatabase({ name: "shop", sets: [eventMigrations] });
	const starting = buildService(
		defineShop(undefined, { jobs: [countStock] as ServiceDefinition["jobs"] & object }),
		{ environment: environmentOf(bare.url), transport, logTo: { write: () => {} } },
	);
	await expect(starting).rejects.toThrow("pg-boss is not installed");
	await bare.drop();
});
