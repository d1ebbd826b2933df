import { startJobs } from "@lango/jobs";
import { createTestDatabase, runTool, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auth } from "../src/service.ts";
import { purgeSessions } from "../src/sessions/purge/session.jobs.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase({ name: "auth", sets: auth.migrations });
});
afterAll(() => database.drop());

const jobs = (words: string) => runTool(`jobs ${words}`, { AUTH_DATABASE_URL: database.url });

test("a dead job is listed with its reason, redriven by its id, and succeeds", {
	timeout: 60_000,
}, async () => {
	let isBroken = true;
	let purged = 0;
	const purge = {
		...purgeSessions,
		retries: 0,
		work: async () => {
			if (isBroken) throw new Error("the disk is full");
			purged += 1;
		},
	};
	const running = await startJobs({
		service: "auth",
		url: database.url,
		db: database.db,
		jobs: [purge],
		dependencies: {},
		now: () => new Date(),
		onError: () => {},
		isByHand: true,
	});
	try {
		expect(await running.runDue()).toBe(1);
		const line = await jobs("auth list");
		expect(line).toMatch(
			/^[\w-]{36} {2}sessions\.purge {2}- {2}since \d{4}-\S+Z {2}1 attempts: the disk is full$/,
		);
		expect(await jobs(`auth redrive ${line.slice(0, 36)}`)).toBe("It is enqueued again.");
		expect(await jobs("auth list")).toBe("There are no dead jobs.");
		isBroken = false;
		expect(await running.runDue()).toBe(1);
		expect(purged).toBe(1);
	} finally {
		await running.stop();
	}
});

test("the migration that makes the tables is printed", async () => {
	expect(await jobs("construction")).toContain("CREATE TABLE pgboss.job");
});

test.each(["nonsense list", "auth redrive", "auth redrive 0190a5c0-0000-7000-8000-000000000000"])(
	"%s is refused, and the error names the command",
	async (words) => {
		await expect(jobs(words)).rejects.toMatchObject({
			code: 1,
			stderr: expect.stringContaining("node tools/jobs.ts"),
		});
	},
);

test("the sign-on's jobs are declared, its purges every ten minutes", () => {
	expect(
		auth.jobs?.map(({ name, kind, ...more }) => [name, kind, "everySeconds" in more && more.everySeconds]),
	).toEqual([
		["sessions.purge", "schedule", 600],
		["sessions.purge-idle", "schedule", 600],
		["links.purge", "schedule", 600],
		["tenants.finish-erasures", "schedule", 600],
		["outlets.announce-assigned", "job", false],
	]);
});
