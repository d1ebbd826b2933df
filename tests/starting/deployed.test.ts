/**
 * deploy/compose.yaml run without a container: the container files followed line by line, and what they hold
 * started with the very commands and variables that compose gives. Only the addresses of PostgreSQL, NATS,
 * Valkey and of the other services differ.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePorts, startTestBus, startTestRedis, type TestBus, type TestRedis } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, serviceNames } from "../../deploy/test/files.ts";
import { type Cluster, removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import type { Container } from "./container.ts";
import { ask, openDeployment } from "./deployment.ts";
import { type Image, type Images, openImages } from "./image.ts";

const above = mkdtempSync(join(tmpdir(), "lango-deployed-"));
const client = { client_id: "cafe-website" };
const owner = { email: "owner@lango.test", password: "a gate of one's own" };
let images: Images;
let tools: Image;
let services: Image;
let cluster: Cluster;
let bus: TestBus;
let counts: TestRedis;
let ports: { auth: [number, number]; subscriptions: number; hospital: number };

const deployment = openDeployment(() => ({
	adminUrl: cluster.adminUrl,
	natsUrl: bus.url,
	redisUrl: counts.url,
	authUrl: `http://localhost:${ports.auth[0]}`,
	subscriptionsUrl: `http://localhost:${ports.subscriptions}`,
}));

/** Without a nats-server or a Redis on the path it throws an Error that says so: .ci/run installs both. */
beforeAll(async () => {
	images = openImages();
	bus = await startTestBus();
	counts = await startTestRedis();
	const [first = 0, second = 0, subscriptions = 0, hospital = 0] = await findFreePorts(4);
	ports = { auth: [first, second], subscriptions, hospital };
	const starting = startCluster({ path: join(above, "postgres"), signal: AbortSignal.timeout(60_000) });
	services = await images.build("deploy/services.Containerfile");
	tools = await images.build("deploy/tools.Containerfile");
	cluster = await starting;
}, 400_000);
afterAll(async () => {
	deployment.killAll();
	await bus?.stop();
	await counts?.stop();
	await cluster?.stop();
	await removeCluster(join(above, "postgres"));
	images?.remove();
	rmSync(above, { recursive: true, force: true });
});

describe("what compose.yaml runs", () => {
	const running: Container[] = [];

	test("databases and roles are created, tables are migrated, and a second migration changes nothing", async () => {
		await deployment.run("databases", tools);
		await deployment.run("migrations", tools);
		const again = await deployment.run("migrations", tools);
		expect(again.trim().split("\n")).toEqual(serviceNames.map((name) => `${name} is up to date.`));
	}, 240_000);

	test("two sign-on services, the subscription service and the hospital become ready", async () => {
		const start = (name: string, port: number) => deployment.startService(name, services, port);
		const both = ports.auth.map((port) => start("auth", port));
		running.push(...(await Promise.all([...both, start("subscriptions", ports.subscriptions)])));
		running.push(await start("hospital", ports.hospital));
	}, 120_000);

	test("the operator creates the first superuser, who signs in at one sign-on service, refreshes at the other, and uses the hospital", async () => {
		const command = ["tools/first-owner.ts", "--email", owner.email, "--name", "Zawadi Njenga"];
		const made = await deployment.run("databases", tools, { command, input: `${owner.password}\n` });
		expect(made).toContain("first superuser");

		const [first, second] = ports.auth.map((port) => `http://127.0.0.1:${port}/api/v1/auth`);
		const signedIn = await ask(`${first}/login`, { method: "POST", body: { ...owner, ...client } });
		expect(signedIn).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
		const refreshed = await ask(`${second}/refresh`, {
			method: "POST",
			body: { refresh_token: signedIn.body["refresh_token"], ...client },
		});
		expect(refreshed).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });

		const token = String(refreshed.body["access_token"]);
		const me = await ask(`http://127.0.0.1:${ports.hospital}/api/v1/lango/hospital/auth/me`, { token });
		expect(me).toMatchObject({ status: 200, body: { email: owner.email } });
	}, 120_000);

	test("each stops with exit code 0 within compose's grace period", async () => {
		for (const container of running) container.stop();
		const codes = await Promise.all(running.map((container) => container.untilEnded(20)));
		expect(codes).toEqual([0, 0, 0, 0]);
	}, 60_000);

	test("the pages are built, served with the configured addresses, and stop on request", async () => {
		const image = await images.build("deploy/pages.Containerfile");
		const [port = 0] = await findFreePorts(1);
		const environment = deployment.environmentOf("console", { CONSOLE_PORT: `${port}` });
		const serving = deployment.start("console", image, { environment });
		await serving.untilReady(`http://127.0.0.1:${port}/healthz`);
		const page = await fetch(`http://127.0.0.1:${port}/`);
		expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<script")]);
		const settings = await ask(`http://127.0.0.1:${port}/settings.json`);
		expect(settings.body).toMatchObject({ authUrl: "https://auth.lango.test" });
		serving.stop();
		expect(await serving.untilEnded(20)).toBe(0);
	}, 300_000);

	test("a tool without an address names the variable and does not start a database", async () => {
		const job = deployment.start("migrations", tools, { environment: { NODE_ENV: "production" } });
		expect([await job.untilEnded(30), job.said()]).toEqual([
			1,
			expect.stringContaining("AUTH_MIGRATION_DATABASE_URL is missing."),
		]);
	}, 40_000);
});

test("the proxy accepts its configuration file", () => {
	const words = ["validate", "--config", "deploy/Caddyfile", "--adapter", "caddyfile"];
	const env = { ...process.env, LANGO_DOMAIN: "lango.test" };
	const { error, status, stdout, stderr } = spawnSync("caddy", words, { cwd: root, env, encoding: "utf8" });
	if (error !== undefined)
		throw new Error("There is no caddy on the path; .ci/run installs it (on Debian the package caddy).", {
			cause: error,
		});
	expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("Valid configuration")]);
});
