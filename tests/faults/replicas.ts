import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceDefinition } from "@lango/chassis";
import { openPool, type Pool } from "@lango/postgres";
import { findFreePorts, startTestBus, type TestBus, testServiceKeys } from "@lango/testkit";
import { type Cluster, removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { sendSignal, waitForEnd } from "../../tools/postgres/process.ts";
import { provideTables } from "../../tools/up/databases.ts";
import type { ServicePart } from "../../tools/up/parts.ts";
import { parts } from "../../tools/up.ts";
import { type BreakableLink, linkTo } from "./breakable-link.ts";
import { type Replica, replicaOf } from "./replica.ts";
import { type RoundRobin, startRoundRobin } from "./round-robin.ts";

export const kinds = ["auth", "subscriptions", "hospital"] as const;
type Kind = (typeof kinds)[number];

/** A PostgreSQL of its own, to be killed. */
type OwnPostgres = {
	/** Ends it as a crash would: the server first, its children follow. */
	crash(): Promise<void>;
	/** Starts it again, at the same address. */
	restart(): Promise<void>;
};

/**
 * Three services, each two processes behind a round-robin, on one PostgreSQL and one NATS, with the demo
 * tenants.
 */
export type Replicas = {
	/** Where each service answers: at its round-robin. */
	urls: Readonly<Record<Kind, string>>;
	balancers: Readonly<Record<Kind, RoundRobin>>;
	of: Readonly<Record<Kind, readonly [Replica, Replica]>>;
	/** Each service's database, as an administrator sees it: rows of all tenants. */
	databases: Readonly<Record<Kind, Pool>>;
	postgres: OwnPostgres;
	bus: TestBus;
	/** Between the processes and the bus. */
	busLink: BreakableLink;
	stop(): Promise<void>;
};

/** The settings that all processes share. */
const shared = {
	LANGO_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
	// Longer than the round-robin needs to detect it.
	LANGO_STOP_NOTICE_MS: "1500",
	// All requests come from one address here.
	AUTH_REGISTRATIONS_PER_ADDRESS_HOUR: "100000",
	LOG_LEVEL: "warn",
};

/**
 * Starts them all and waits until they are ready. What each process says is in a folder that is named when
 * one does not start.
 */
export async function startReplicas(): Promise<Replicas> {
	const home = await mkdtemp(join(tmpdir(), "lango-replicas-"));
	const stops: Array<() => Promise<unknown>> = [() => rm(home, { recursive: true, force: true })];
	const stop = async () => {
		for (const one of stops.splice(0).toReversed()) await one();
	};
	try {
		const { cluster, ...postgres } = await ownPostgres(join(home, "postgres"));
		stops.push(() => removeCluster(join(home, "postgres")));
		const bus = await startTestBus();
		stops.push(() => bus.stop());
		const busLink = await linkTo({ host: "127.0.0.1", port: Number(new URL(bus.url).port) });
		stops.push(() => busLink.close());
		const { balancers, portsOf } = await openBalancers();
		stops.push(...kinds.map((kind) => () => balancers[kind].close()));
		const urls = eachKind((kind) => balancers[kind].url);
		const environment = {
			...inherited(),
			NODE_ENV: "test",
			...shared,
			...Object.fromEntries(kinds.map((kind) => [`${kind.toUpperCase()}_URL`, urls[kind]])),
			NATS_URL: `nats://127.0.0.1:${busLink.port}`,
			...testServiceKeys(...kinds),
		};
		const tables = await makeTables(cluster.adminUrl);
		const databases = eachKind((kind) => adminPool(cluster.adminUrl, kind));
		stops.push(...kinds.map((kind) => () => databases[kind].close()));
		const of = eachKind((kind) => {
			const own = { ...environment, [`${kind.toUpperCase()}_DATABASE_URL`]: tables[kind] };
			const [first, second] = portsOf[kind].map((port) =>
				replicaOf({ service: kind, port, environment: own, log: join(home, `${kind}-${port}.log`) }),
			);
			return [first, second] as [Replica, Replica];
		});
		stops.push(() => Promise.all(kinds.flatMap((kind) => of[kind].map((replica) => replica.kill()))));
		await startAll(of, tables);
		return { urls, balancers, of, databases, postgres, bus, busLink, stop };
	} catch (error) {
		stops.shift(); // The folder is kept: what the processes said is in it.
		await stop();
		throw error;
	}
}

const eachKind = <T>(make: (kind: Kind) => T): Record<Kind, T> =>
	Object.fromEntries(kinds.map((kind) => [kind, make(kind)])) as Record<Kind, T>;

/** Our environment without what would lead to another platform, its database or its bus. */
function inherited(): NodeJS.ProcessEnv {
	const others = /^(LANGO_|NODE_ENV$|VITEST|.*_(PORT|HOST|URL|URLS|ORIGINS|API_KEY)$)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !others.test(name)));
}

async function ownPostgres(path: string): Promise<OwnPostgres & { cluster: Cluster }> {
	// What is written lies with the operating system, which does not crash here.
	const settings = { fsync: "off", shared_buffers: "64MB" };
	const { signal } = new AbortController();
	const cluster = await startCluster({ path, settings, signal });
	let running = cluster;
	return {
		cluster,
		async crash() {
			sendSignal(running.pid, "SIGKILL");
			if (!(await waitForEnd(running.pid, 10))) throw new Error("the PostgreSQL of the test does not end");
		},
		async restart() {
			const { port } = new URL(cluster.adminUrl);
			running = await startCluster({ path, settings: { ...settings, port }, signal });
		},
	};
}

async function openBalancers() {
	const ports = await findFreePorts(kinds.length * 2);
	const portsOf = eachKind((kind) => ports.slice(kinds.indexOf(kind) * 2).slice(0, 2));
	const balancers = {} as Record<Kind, RoundRobin>;
	for (const kind of kinds)
		balancers[kind] = await startRoundRobin({
			members: portsOf[kind].map((port) => `http://127.0.0.1:${port}`),
		});
	return { balancers, portsOf };
}

const partOf = (kind: Kind): ServicePart => {
	const part = parts.services.find(({ service }) => service.name === kind);
	if (part === undefined) throw new Error(`tools/up.ts brings up no ${kind}`);
	return part;
};

async function makeTables(adminUrl: string): Promise<Record<Kind, string>> {
	const made = {} as Record<Kind, string>;
	for (const kind of kinds) {
		const service: ServiceDefinition = partOf(kind).service;
		made[kind] = (await provideTables(service, { adminUrl, environment: {} })).app;
	}
	return made;
}

function adminPool(adminUrl: string, kind: Kind): Pool {
	const url = new URL(adminUrl);
	url.pathname = `/${kind}`;
	return openPool({ url: url.toString(), name: "replicas", sizeMax: 2, onIdleError: () => undefined });
}

/**
 * Both processes of a service at once, as a deployment does; the sign-on service first, for the others fetch
 * its keys.
 */
async function startAll(of: Replicas["of"], tables: Readonly<Record<Kind, string>>): Promise<void> {
	await Promise.all(of.auth.map((replica) => replica.start()));
	const now = new Date();
	const tenants = (await seed("auth", tables, { now, tenants: [] })) ?? [];
	await Promise.all([...of.subscriptions, ...of.hospital].map((replica) => replica.start()));
	await seed("subscriptions", tables, { now, tenants });
}

type Known = { now: Date; tenants: ReadonlyArray<{ slug: string; id: string }> };

async function seed(kind: Kind, tables: Readonly<Record<Kind, string>>, known: Known) {
	const db = openPool({ url: tables[kind], name: "demo", sizeMax: 1 });
	try {
		return await partOf(kind).demo?.(db, { ...known, environment: {} });
	} finally {
		await db.close();
	}
}
