/**
 * What docs/pages/operating.md says of backups, done: dump, wipe, restore, sign in. By its own commands where
 * the system has a PostgreSQL with its programs; and on Lango's own, which has none of them, by COPY.
 */
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePorts, startTestBus, type TestBus } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { read, root, serviceNames } from "../../deploy/test/files.ts";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import type { Container } from "./container.ts";
import { copyIn, copyOut, digestOf, inDatabase } from "./copied-database.store.ts";
import { ask, openDeployment } from "./deployment.ts";
import type { Image } from "./image.ts";
import { findSystemPostgres, startSystemPostgres } from "./system-postgres.ts";

const services: Image = { folder: root, entrypoint: ["node", ...nodeFlags], cmd: [] };
const tools: Image = { folder: root, entrypoint: ["node"], cmd: [] };
const owner = { email: "owner@lango.test", password: "a gate of one's own", client_id: "cafe-website" };
const sh = promisify(execFile);
const programs = findSystemPostgres();

type Server = { adminUrl: string; remove(): Promise<void> };

/** One way to keep a backup: an empty server, and what is done on it. `database` is the one to dump. */
type Way = {
	name: string;
	startServer(): Promise<Server>;
	dump(adminUrl: string, folder: string, databases: readonly string[]): Promise<void>;
	restore(adminUrl: string, folder: string, deployment: ReturnType<typeof openDeployment>): Promise<void>;
};

const byCopy: Way = {
	name: "by COPY",
	async startServer() {
		const path = join(mkdtempSync(join(tmpdir(), "lango-backup-")), "postgres");
		const cluster = await startCluster({ path, signal: AbortSignal.timeout(60_000) });
		const remove = async () => {
			await cluster.stop();
			await removeCluster(path);
			rmSync(join(path, ".."), { recursive: true, force: true });
		};
		return { adminUrl: cluster.adminUrl, remove };
	},
	async dump(adminUrl, folder, databases) {
		for (const database of databases) await copyOut(adminUrl, database, folder);
	},
	async restore(adminUrl, folder, deployment) {
		await deployment.run("databases", tools);
		await deployment.run("migrations", tools);
		for (const database of serviceNames) await copyIn(adminUrl, database, folder);
	},
};

const byPgDump = (bin: string): Way => ({
	name: "by pg_dump",
	async startServer() {
		const [port = 0] = await findFreePorts(1);
		return startSystemPostgres(bin, { port, password: "the-same-after-it-is-restored" });
	},
	async dump(adminUrl, folder, databases) {
		await runAsSaid("pg_dump ", { adminUrl, folder, databases });
	},
	async restore(adminUrl, folder) {
		await runAsSaid("pg_restore ", { adminUrl, folder, databases: serviceNames });
	},
});

/** Runs the block of the page that has a command, for some of the databases it names, at a server of here. */
async function runAsSaid(
	command: string,
	{ adminUrl, folder, databases }: { adminUrl: string; folder: string; databases: readonly string[] },
): Promise<void> {
	const blocks = read("docs/pages/operating.md").matchAll(/```sh\n([\s\S]+?)```/g);
	const block = [...blocks].map(([, text = ""]) => text).find((text) => text.includes(command)) ?? "";
	const said = /^for name in ([a-z ]+); do$/m.exec(block)?.[1] ?? "";
	expect(said.split(" ").toSorted()).toEqual([...serviceNames].toSorted());
	const { hostname, port, password } = new URL(adminUrl);
	const script = block.replace(said, databases.join(" ")).replaceAll("-h HOST", `-h ${hostname} -p ${port}`);
	const env = { PATH: `${programs}:${process.env["PATH"]}`, PGPASSWORD: password };
	await sh("sh", ["-e", "-c", script], { cwd: folder, env, timeout: 120_000 });
}

const ways = [byCopy, ...(programs === undefined ? [] : [byPgDump(programs)])];

describe.each(ways)("a backup $name", (way) => {
	const folder = mkdtempSync(join(tmpdir(), "lango-backup-"));
	// The server itself writes what is copied.
	chmodSync(folder, 0o777);
	const urls = { auth: "", subscriptions: "", hospital: "" };
	const before: Record<string, Record<string, string>> = {};
	let bus: TestBus;
	let server: Server;
	let running: Record<string, Container> = {};
	let token = "";
	let refreshToken = "";

	const deployment = openDeployment(() => ({
		adminUrl: server.adminUrl,
		natsUrl: bus.url,
		authUrl: urls.auth,
		subscriptionsUrl: urls.subscriptions,
	}));
	const startAll = async () => {
		const start = (name: keyof typeof urls) =>
			deployment.startService(name, services, Number(new URL(urls[name]).port));
		const [auth, subscriptions] = await Promise.all([start("auth"), start("subscriptions")]);
		running = { auth, subscriptions, hospital: await start("hospital") };
	};
	const stop = async (...names: string[]) => {
		for (const name of names) {
			running[name]?.stop();
			expect([name, await running[name]?.untilEnded(20)]).toEqual([name, 0]);
		}
	};
	const dump = async (...databases: string[]) => {
		for (const database of databases) before[database] = await digestOf(server.adminUrl, database);
		await way.dump(server.adminUrl, folder, databases);
	};
	const post = (path: string, body: object, as?: string) =>
		ask(`${urls.auth}${path}`, { method: "POST", body, ...(as !== undefined && { token: as }) });
	const outletsAtHospital = () =>
		inDatabase(server.adminUrl, "hospital", async (admin) => {
			const { rows } = await admin.query<{ code: string }>("select code from outlets order by code");
			return rows.map(({ code }) => code);
		});
	const openOutlet = async (code: string) => {
		const outlet = { code, name: `Outlet ${code}`, use_case: "services" };
		expect(await post("/api/v1/tenants/lango/outlets", outlet, token)).toMatchObject({ status: 201 });
	};
	const meAtHospital = () => ask(`${urls.hospital}/api/v1/lango/hospital/auth/me`, { token });

	beforeAll(async () => {
		const ports = await findFreePorts(3);
		for (const [index, name] of (["auth", "subscriptions", "hospital"] as const).entries())
			urls[name] = `http://localhost:${ports[index]}`;
		bus = await startTestBus();
		server = await way.startServer();
		await deployment.run("databases", tools);
		await deployment.run("migrations", tools);
	}, 360_000);
	afterAll(async () => {
		deployment.killAll();
		await bus?.stop();
		await server?.remove();
		rmSync(folder, { recursive: true, force: true });
	});

	test("is made of a platform with a signed-in person, with the sign-on service's database last", async () => {
		await startAll();
		const command = ["tools/first-owner.ts", "--email", owner.email, "--name", "Zawadi Njenga"];
		await deployment.run("databases", tools, { command, input: `${owner.password}\n` });
		const { body } = await post("/api/v1/auth/login", owner);
		[token, refreshToken] = [String(body["access_token"]), String(body["refresh_token"])];
		expect(await meAtHospital()).toMatchObject({ status: 200, body: { email: owner.email } });
		await openOutlet("O1");
		await expect.poll(outletsAtHospital, { timeout: 30_000 }).toEqual(["O1"]);
		await stop("hospital", "subscriptions");
		await dump(...serviceNames.filter((name) => name !== "auth"));
		await openOutlet("O2");
		await stop("auth");
		await dump("auth");
	}, 240_000);

	test("is restored into an empty server, with every row, every sequence and all roles", async () => {
		await server.remove();
		server = await way.startServer();
		await way.restore(server.adminUrl, folder, deployment);
		for (const name of serviceNames)
			expect([name, await digestOf(server.adminUrl, name)]).toEqual([name, before[name]]);
		const migrated = await deployment.run("migrations", tools);
		expect(migrated.trim().split("\n")).toEqual(serviceNames.map((name) => `${name} is up to date.`));
	}, 360_000);

	// Every row of a way is compared above, so what works after one works after the others.
	if (way === ways.at(-1)) {
		test("lets people sign in, continue their sessions, and keep their access to services", async () => {
			await startAll();
			expect(await meAtHospital()).toMatchObject({ status: 200, body: { email: owner.email } });
			const refreshing = { refresh_token: refreshToken, client_id: owner.client_id };
			expect(await post("/api/v1/auth/refresh", refreshing)).toMatchObject({ status: 200 });
			const { status, body } = await post("/api/v1/auth/login", owner);
			expect(status).toBe(200);
			token = String(body["access_token"]);
			expect(await meAtHospital()).toMatchObject({ status: 200, body: { email: owner.email } });
		}, 240_000);

		test("lets a service read the events after its backup by itself", async () => {
			await expect.poll(outletsAtHospital, { timeout: 30_000 }).toEqual(["O1", "O2"]);
			await stop("hospital", "auth", "subscriptions");
		}, 240_000);
	}
});
