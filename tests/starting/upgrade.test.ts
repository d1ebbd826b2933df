/**
 * An upgrade as docs/pages/operating.md has it: the version before this one serves, the database is migrated
 * under it, both versions serve side by side, the older one leaves. All the while people sign in, refresh,
 * read and change, and nothing they ask fails.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePorts, startTestBus, type TestBus } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../deploy/test/files.ts";
import { type Cluster, removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { type RoundRobin, startRoundRobin } from "../faults/round-robin.ts";
import type { Container } from "./container.ts";
import { ask, openDeployment } from "./deployment.ts";
import type { Image } from "./image.ts";
import { openPreviousVersion, type PreviousVersion } from "./previous-version.ts";

const names = ["auth", "subscriptions", "hospital"] as const;
type Name = (typeof names)[number];
/** A process of each service, of one version. */
type Version = Record<Name, { port: number; container?: Container }>;

const services: Image = { folder: root, entrypoint: ["node", ...nodeFlags], cmd: [] };
const tools: Image = { folder: root, entrypoint: ["node"], cmd: [] };
const above = mkdtempSync(join(tmpdir(), "lango-upgrade-"));
const person = { email: "neema@mto.test", password: "Mto-wa-maji-2026!", client_id: "cafe-website" };
/** Requests that every process of both versions answers while all are there. */
const sideBySide = 20;
const askers = 4;
const pauseMs = 50;

let previous: PreviousVersion;
let cluster: Cluster;
let bus: TestBus;
let older: Version;
let newer: Version;
const balancers = {} as Record<Name, RoundRobin>;

const deployment = openDeployment(() => ({
	adminUrl: cluster.adminUrl,
	natsUrl: bus.url,
	authUrl: balancers.auth.url,
	subscriptionsUrl: balancers.subscriptions.url,
	// Versions before AUTH_INTERNAL_URL ask the issuer itself.
	issuerUrl: balancers.auth.url,
}));
const call = (name: Name, path: string, request: Parameters<typeof ask>[1] = {}) =>
	ask(`${balancers[name].url}${path}`, request);

beforeAll(async () => {
	previous = openPreviousVersion();
	console.log(`beside ${previous.commit}`);
	const ports = await findFreePorts(names.length * 2);
	const take = () => Object.fromEntries(names.map((name) => [name, { port: ports.shift() }]));
	[older, newer] = [take() as Version, take() as Version];
	for (const name of names) {
		const members = [older[name], newer[name]].map(({ port }) => `http://127.0.0.1:${port}`);
		balancers[name] = await startRoundRobin({ members });
	}
	bus = await startTestBus();
	cluster = await startCluster({ path: join(above, "postgres"), signal: AbortSignal.timeout(60_000) });
	await deployment.run("databases", tools, { command: ["tools/prepare-databases.ts", ...names] });
	for (const name of names) await migrate(previous.tools, name);
	await serve(previous.services, older);
}, 400_000);
afterAll(async () => {
	deployment.killAll();
	for (const balancer of Object.values(balancers)) await balancer.close();
	await bus?.stop();
	await cluster?.stop();
	await removeCluster(join(above, "postgres"));
	previous?.remove();
	rmSync(above, { recursive: true, force: true });
});

const migrate = (image: Image, ...words: string[]) =>
	deployment.run("migrations", image, { command: ["tools/migrate.ts", ...words] });

/** Starts a version, whose processes are given requests as soon as they say they are ready. */
async function serve(image: Image, version: Version): Promise<void> {
	const start = async (name: Name) => {
		version[name].container = await deployment.startService(name, image, version[name].port);
	};
	await Promise.all([start("auth"), start("subscriptions")]);
	await start("hospital");
}

/** A tenant with a subscription, whose administrator the person is. */
async function makeTenant(): Promise<void> {
	const registering = {
		...{ name: "Neema Mto", email: person.email, password: person.password, org_action: "create_new" },
		organization: { name: "Mto Clinic", slug: "mto", use_case: "services" },
	};
	const registered = await call("auth", "/api/v1/auth/register", { method: "POST", body: registering });
	expect(registered).toMatchObject({ status: 201 });
	const { token } = await signIn();
	const { id } = (await call("auth", "/api/v1/tenants/by-slug/mto")).body;
	const choosing = { method: "POST", token, body: { plan: "STARTER" } };
	expect(await call("subscriptions", `/api/v1/tenants/${id}/subscription`, choosing)).toMatchObject({
		status: 201,
	});
	await expect.poll(() => change(token, "first"), { timeout: 30_000 }).toBe(200);
}

async function signIn(): Promise<{ token: string; refreshToken: string }> {
	const { status, body } = await call("auth", "/api/v1/auth/login", { method: "POST", body: person });
	if (status !== 200) throw new Error(`sign-in: ${status} ${JSON.stringify(body)}`);
	return { token: String(body["access_token"]), refreshToken: String(body["refresh_token"]) };
}

const change = async (token: string, value: string): Promise<number> => {
	const body = { key: "theme", value };
	return (await call("hospital", "/api/v1/mto/hospital/config", { method: "PUT", token, body })).status;
};

/** Sends requests until it is stopped. Returns the unexpected responses. */
async function askOn(signal: AbortSignal): Promise<string[]> {
	const failed: string[] = [];
	const expecting = async (what: string, answer: Promise<number>) => {
		const status = await answer.catch((error: Error) => error.message);
		if (status !== 200) failed.push(`${what}: ${status}`);
	};
	let session = await signIn();
	for (let turn = 1; !signal.aborted; turn += 1) {
		const refreshing = { refresh_token: session.refreshToken, client_id: person.client_id };
		const refreshed = await call("auth", "/api/v1/auth/refresh", { method: "POST", body: refreshing });
		await expecting("refresh", Promise.resolve(refreshed.status));
		const { access_token: token, refresh_token: refreshToken } = refreshed.body;
		session = { token: String(token), refreshToken: String(refreshToken) };
		const me = call("hospital", "/api/v1/mto/hospital/auth/me", { token: session.token });
		await expecting(
			"who am I",
			me.then(({ status }) => status),
		);
		if (turn % 5 === 0) await expecting("a change", change(session.token, `${turn}`));
		await expecting(
			"plans",
			call("subscriptions", "/api/v1/plans").then(({ status }) => status),
		);
		if (turn % 20 === 0) session = await signIn();
		await sleep(pauseMs);
	}
	return failed;
}

/** Asks the processes of a version to stop, one after the other, as an upgrade does. */
async function leave(version: Version): Promise<void> {
	for (const name of names) {
		const { container } = version[name];
		container?.stop();
		expect([name, await container?.untilEnded(20)]).toEqual([name, 0]);
	}
}

test("while the previous version serves, the database is migrated and this version takes over without a failed request", async () => {
	await makeTenant();
	// While the first processes started, some requested keys that were not available yet.
	for (const name of names) balancers[name].lost.length = 0;
	const ending = new AbortController();
	const asking = Promise.all(Array.from({ length: askers }, () => askOn(ending.signal)));
	try {
		await migrate(tools, ...names);
		await serve(services, newer);
		const before = names.map((name) => balancers[name].answered());
		/** How much the process that has answered least has answered since. */
		const least = () =>
			Math.min(
				...names.flatMap((name, index) =>
					balancers[name].answered().map((count, member) => count - (before[index]?.[member] ?? 0)),
				),
			);
		await expect.poll(least, { timeout: 60_000 }).toBeGreaterThan(sideBySide);
		await leave(older);
		await sleep(1_000);
	} finally {
		ending.abort();
	}
	expect((await asking).flat()).toEqual([]);
	expect(names.flatMap((name) => balancers[name].lost)).toEqual([]);
}, 400_000);

test("after a rollback the previous version starts on the tables of this one", async () => {
	await serve(previous.services, older);
	await leave(newer);
	const { token } = await signIn();
	expect(await change(token, "as before")).toBe(200);
}, 400_000);
