/**
 * `npm start` as the user of the tests, from a clone below a folder only its owner may enter, with the
 * packages of here. The tests go through one clone's life in order.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { openPool } from "@lango/postgres";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { root } from "../../deploy/test/files.ts";
import { findCluster, removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { type Clone, dataFolderOf, makeClone } from "./clone.ts";
import { killEverything, listProcesses, npmStart, patience, type Started, until } from "./platform.ts";

let clone: Clone;
let started: Started;

beforeAll(async () => {
	clone = await makeClone();
	execFileSync("cp", ["-a", join(root, "node_modules"), clone.folder], { timeout: 240_000 });
}, 300_000);
// The next test must not meet the processes of one that failed.
afterEach(({ task }) => {
	if (task.result?.errors?.length) killEverything(clone, started);
});
afterAll(() => {
	killEverything(clone, started);
	clone?.remove();
});

const ready = "Lango is ready";

async function start(): Promise<void> {
	started = npmStart(clone);
	await started.untilSaid(ready, patience.start);
}

/** Ctrl-C, and what must hold after it: it ends by itself, in time, and leaves nothing running. */
async function stop(): Promise<void> {
	started.interrupt();
	expect([0, 130, "SIGINT"]).toContain(await started.untilEnded(patience.end));
	await until(() => listProcesses(clone, started).length === 0, patience.end);
	expect(listProcesses(clone, started)).toEqual([]);
}

/** Runs one statement on the platform's PostgreSQL as its administrator. */
async function ask(statement: string): Promise<Array<Record<string, unknown>>> {
	const url = findCluster(join(clone.folder, ".lango/postgres"))?.adminUrl;
	if (url === undefined) throw new Error("The platform's PostgreSQL does not run.");
	const db = openPool({ url, name: "starting", sizeMax: 1 });
	try {
		return await db.query(statement);
	} finally {
		await db.close();
	}
}

test("a start with the packages of the lock file installs nothing", async () => {
	const begin = Date.now();
	await start();
	console.log(`first start: ${Math.round((Date.now() - begin) / 1000)} s`);
	expect(started.output()).not.toContain("Installing");
	await ask("create table kept as select 7 as number");
	await ask("create table first_start as select current_setting('port') as port");
	await stop();
});

test("a port in use is named with its setting before anything is started", async () => {
	const server = createServer();
	const port = Number(clone.environment["AUTH_PORT"]);
	await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
	started = npmStart(clone);
	const code = await started.untilEnded(patience.end);
	await new Promise((done) => server.close(done));

	expect(code).toBe(1);
	expect(started.output()).toContain(`Port ${port} is in use`);
	expect(started.output()).toContain("AUTH_PORT");
	expect(started.output()).not.toContain("Starting PostgreSQL");
	expect(started.output()).not.toMatch(/^\s+at /m);
	expect(listProcesses(clone, started)).toEqual([]);
});

test("the second start finds the data", async () => {
	const begin = Date.now();
	await start();
	console.log(`second start: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
	expect(await ask("select number from kept")).toEqual([{ number: 7 }]);
});

test("the database has the same port after a restart", async () => {
	expect(await ask("select port = current_setting('port') as is_same from first_start")).toEqual([
		{ is_same: true },
	]);
});

test("every address of the table responds", async () => {
	const addresses = started.output().match(/http:\/\/localhost:\d+/g) ?? [];
	expect(addresses.length).toBeGreaterThan(2);
	for (const address of addresses) {
		const answer = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(20_000) });
		expect([address, answer.status]).toEqual([address, 200]);
	}
});

test("a second start in the same folder names the running process and does not affect it", async () => {
	const second = npmStart(clone);
	expect(await second.untilEnded(patience.end)).toBe(1);
	expect(second.output()).toMatch(/already running from this folder \(process \d+\)/);
	expect(await ask("select number from kept")).toEqual([{ number: 7 }]);
});

test("a PostgreSQL that outlived its killed platform is stopped, and the data is kept", async () => {
	if (listProcesses(clone, started).length === 0) await start();
	await ask("update kept set number = number + 1");
	process.kill(-(started.child.pid ?? 0), "SIGKILL");
	await started.untilEnded(patience.end);
	const left = findCluster(join(clone.folder, ".lango/postgres"))?.pid;
	expect(left).toBeGreaterThan(0);

	await start();
	expect(findCluster(join(clone.folder, ".lango/postgres"))?.pid).not.toBe(left);
	expect(await ask("select number from kept")).toEqual([{ number: 8 }]);
});

test("after everything is killed at once the data is kept, and process ids that now belong to other processes are ignored", async () => {
	if (listProcesses(clone, started).length === 0) await start();
	await ask("update kept set number = number + 1");
	killEverything(clone, started);
	await started.untilEnded(patience.end);
	const data = dataFolderOf(clone.folder);
	expect(existsSync(join(data, "postmaster.pid"))).toBe(true);

	const stranger = process.pid;
	writeFileSync(
		join(data, "postmaster.pid"),
		`${stranger}\n${data}\n1700000000\n1\n\n127.0.0.1\n  1 1\nready   \n`,
	);
	writeFileSync(join(clone.folder, ".lango/up.pid"), `${stranger}\n`);
	await start();
	expect(await ask("select number from kept")).toEqual([{ number: 9 }]);
	await stop();
});

test("an incomplete database of a killed run is created again, and Ctrl-C while services start leaves no process", async () => {
	const half = `${dataFolderOf(clone.folder)}.new`;
	mkdirSync(half, { recursive: true });
	writeFileSync(join(half, "PG_VERSION"), "18\n");
	started = npmStart(clone, ["--", "--fresh"]);
	await started.untilSaid("Starting auth", patience.start);
	expect(existsSync(half)).toBe(false);
	await stop();
});

test("Ctrl-C at any time of a first start leaves no process and no partial state", async () => {
	// Not earlier: npm loses a signal that comes while it creates the process.
	const isLoading = () => listProcesses(clone, started).some((line) => line.includes("tools/up.ts"));
	const moments = [
		() => until(isLoading, patience.start),
		...["Starting PostgreSQL", "Building apps/accounts"].map(
			(words) => () => started.untilSaid(words, patience.start),
		),
	];
	for (const reachMoment of moments) {
		rmSync(join(clone.folder, "apps/accounts/dist"), { recursive: true, force: true });
		started = npmStart(clone, ["--", "--fresh"]);
		await reachMoment();
		await stop();
	}
	await start();
	await stop();
});

/** What is refused at once: by its words and by what the environment says. */
const refused = [
	{ title: "an unknown option", words: ["--frehs"], says: "'--frehs'" },
	{ title: "production", environment: { NODE_ENV: "production" }, says: "NODE_ENV=production" },
	{ title: "an unknown NODE_ENV", environment: { NODE_ENV: "staging" }, says: "NODE_ENV=staging" },
	{ title: "an invalid port", environment: { ACCOUNTS_PORT: "http" }, says: "ACCOUNTS_PORT" },
	{
		title: "one port for two",
		environment: { AUTH_PORT: "4999", HOSPITAL_PORT: "4999" },
		says: "AUTH_PORT and HOSPITAL_PORT",
	},
	{
		title: "--fresh with a DATABASE_URL",
		words: ["--fresh"],
		environment: { DATABASE_URL: "postgres://someone:hidden-word@127.0.0.1:1/postgres" },
		says: "--fresh empties Lango's own database only",
	},
];

test.each(refused)("$title is refused in a sentence", async ({ words = [], environment = {}, says }) => {
	started = npmStart({ ...clone, environment: { ...clone.environment, ...environment } }, ["--", ...words]);
	expect(await started.untilEnded(patience.end)).toBe(1);
	expect(started.output()).toContain(says);
	expect(started.output()).not.toContain("hidden-word");
	expect(started.output()).not.toMatch(/^\s+at /m);
});

test("npm start waits for an unavailable DATABASE_URL until Ctrl-C, and prints it without its password", async () => {
	const environment = {
		...clone.environment,
		DATABASE_URL: "postgres://someone:hidden-word@127.0.0.1:1/postgres",
	};
	started = npmStart({ ...clone, environment });
	await started.untilSaid("Waiting up to two minutes", patience.start);
	expect(started.output()).not.toContain("hidden-word");
	await stop();
});

test("with a DATABASE_URL its PostgreSQL is used and no other is started", async () => {
	const path = join(clone.folder, "..", "other-postgres");
	const other = await startCluster({ path, signal: AbortSignal.timeout(60_000) });
	try {
		const environment = { ...clone.environment, DATABASE_URL: other.adminUrl };
		started = npmStart({ ...clone, environment });
		await started.untilSaid(ready, patience.start);
		expect(findCluster(join(clone.folder, ".lango/postgres"))).toBeUndefined();
		started.interrupt();
		await started.untilEnded(patience.end);
	} finally {
		await other.stop();
		await removeCluster(path);
	}
});
