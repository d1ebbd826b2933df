import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Environment, explainFolder, type ServiceDefinition, startService } from "@lango/chassis";
import { inProcessTransport } from "@lango/events";
import { startPages } from "@lango/pages";
import { openPool } from "@lango/postgres";
import { claim, runsIn } from "../postgres/claim.ts";
import { removeCluster } from "../postgres/cluster.ts";
import { buildPages } from "./build-pages.ts";
import { homeOf, onceDatabaseAnswers, provideDatabase, provideTables, type Waiting } from "./databases.ts";
import { developmentEnvironment } from "./development-environment.ts";
import {
	type DemoTenant,
	listPorts,
	type PagesPart,
	type Parts,
	pagesPort,
	prefixOf,
	requireSettings,
	type SandboxPart,
	type ServicePart,
} from "./parts.ts";
import { describeTaken, listPortFaults } from "./ports.ts";
import { requireDevelopment } from "./require-development.ts";
import { startServiceProcess } from "./service-process.ts";
import type { Stopping } from "./stopping.ts";

const root = resolve(import.meta.dirname, "../..");

/** An address for people, as printed in the table at the end. */
export type Address = { title: string; url: string };

export type Bringing = {
	given: Environment;
	isFresh: boolean;
	stopping: Stopping;
	say: (line: string) => void;
};

/**
 * Starts everything: checks settings and ports first, then starts the database and the sandboxes, migrates,
 * and starts the services with their demo records, and the pages. Registers everything that was started with
 * `stopping`, also if a later step fails. Throws an Error with a message for the user.
 */
export async function bringUp(parts: Parts, { given, isFresh, stopping, say }: Bringing): Promise<Address[]> {
	const { signal } = stopping;
	requireDevelopment(given);
	const home = homeOf(given);
	const environment = openHome(home, { parts, given, stopping });
	requireSettings(parts, environment);
	const faults = await listPortFaults(listPorts(parts, environment));
	if (faults.length > 0) throw new Error(faults.join("\n"));
	if (isFresh) await beginAnew(environment);

	say("Starting PostgreSQL …");
	const adminUrl = await provideDatabase(join(home, "postgres"), environment.DATABASE_URL, {
		...stopping,
		say,
	}).catch((error) => {
		throw explainFolder(error, { folder: home, setting: "LANGO_HOME" });
	});
	const sandboxes: Address[] = [];
	for (const part of parts.sandboxes) {
		signal.throwIfAborted();
		sandboxes.push(await bringSandbox(part, { environment, stopping, say }));
	}
	const services = await bringServices(parts.services, { adminUrl, environment, stopping, say });
	const pages: Address[] = [];
	for (const part of parts.pages) {
		signal.throwIfAborted();
		pages.push(await bringPages(part, { environment, stopping, say }));
	}
	signal.throwIfAborted();
	return [...pages, ...sandboxes, ...services];
}

type Opening = { parts: Parts; given: Environment; stopping: Stopping };

/**
 * Claims the folder for this process and reads the settings and the secrets in it. Creates the secrets at the
 * first start.
 */
function openHome(home: string, { parts, given, stopping }: Opening): Environment {
	try {
		claimFolder(home, stopping);
		return developmentEnvironment(parts, { home, given });
	} catch (error) {
		throw explainFolder(error, { folder: home, setting: "LANGO_HOME" });
	}
}

function claimFolder(home: string, { onStop }: Stopping): void {
	const claimed = claim(
		join(home, "up.pid"),
		(command, pid) => command.includes("tools/up.ts") && runsIn(root, pid),
	);
	if (typeof claimed === "number")
		throw new Error(`Lango is already running from this folder (process ${claimed}).`);
	onStop(async () => claimed());
}

async function beginAnew(environment: Environment): Promise<void> {
	if (environment.DATABASE_URL)
		throw new Error(
			"--fresh empties Lango's own database only. With DATABASE_URL, drop the databases yourself.",
		);
	const home = homeOf(environment);
	await removeCluster(join(home, "postgres"));
	// What the sandboxes know is about the objects of that database.
	await rm(join(home, "sandboxes"), { recursive: true, force: true });
}

type Bring = {
	adminUrl: string;
	environment: Environment;
	stopping: Stopping;
	say: (line: string) => void;
};

/** Starts all services in this process or, with a bus (`NATS_URL`), each in its own process. */
async function bringServices(parts: readonly ServicePart[], bring: Bring): Promise<Address[]> {
	const { adminUrl, environment, stopping, say } = bring;
	const start = environment.NATS_URL ? startApart(bring) : startTogether(bring);
	const tenants: DemoTenant[] = [];
	const bringOne = async ({ service, demo }: ServicePart, url: string): Promise<Address> => {
		stopping.signal.throwIfAborted();
		say(`Starting ${service.name} …`);
		const own = { ...environment, [`${prefixOf(service.name)}_DATABASE_URL`]: url };
		const address = await start(service, own);
		if (demo !== undefined) {
			const makesTenants = tenants.length === 0;
			const made = await makeDemo(demo, { url, tenants, environment, signal: stopping.signal, say }).catch(
				(error) => {
					if (makesTenants) throw error;
					// The sign-on service may be behind a proxy that does not respond yet.
					say(`${service.name} has no demo records yet, the next start tries again: ${error.message}`);
				},
			);
			tenants.push(...(made ?? []));
		}
		return { title: service.title, url: address };
	};
	const addresses: Address[] = [];
	const others: Array<() => Promise<Address>> = [];
	for (const part of parts) {
		stopping.signal.throwIfAborted();
		const { app } = await provideTables(part.service, {
			adminUrl,
			environment,
			signal: stopping.signal,
			say,
		});
		if (part.comesFirst === true) addresses.push(await bringOne(part, app));
		else others.push(() => bringOne(part, app));
	}
	// The other services start in parallel. If one fails, wait for the others, so that they can be stopped.
	const came = await Promise.allSettled(others.map((bringIt) => bringIt()));
	for (const one of came) {
		if (one.status === "rejected") throw one.reason;
		addresses.push(one.value);
	}
	return addresses;
}

type Start = (service: ServiceDefinition, environment: Environment) => Promise<string>;

function startTogether({ stopping }: Bring): Start {
	const transport = inProcessTransport();
	stopping.onStop(() => transport.close());
	return async (service, environment) => {
		const running = await startService(service, { environment, transport, signal: stopping.signal });
		stopping.onStop(() => running.close());
		return running.url;
	};
}

function startApart({ stopping, say }: Bring): Start {
	return async ({ name }, environment) => {
		const url = environment[`${prefixOf(name)}_URL`] ?? "";
		await startServiceProcess({ name, url, environment, stopping, say });
		return url;
	};
}

type Demo = NonNullable<ServicePart["demo"]>;

type DemoParts = { url: string; tenants: readonly DemoTenant[]; environment: Environment } & Waiting;

async function makeDemo(demo: Demo, { url, tenants, environment, ...waiting }: DemoParts) {
	const db = openPool({ url, name: "demo", sizeMax: 1 });
	try {
		return await onceDatabaseAnswers(
			async () => demo(db, { now: new Date(), tenants, environment }),
			waiting,
		);
	} finally {
		await db.close();
	}
}

type BringPart = { environment: Environment; stopping: Stopping; say: (line: string) => void };

async function bringSandbox({ name, title, start }: SandboxPart, { environment, stopping, say }: BringPart) {
	say(`Starting ${name} …`);
	const sandbox = await start(environment);
	stopping.onStop(() => sandbox.stop());
	return { title, url: sandbox.url };
}

async function bringPages(part: PagesPart, { environment, stopping, say }: BringPart): Promise<Address> {
	const { name, title, folder, isBuilt } = part;
	if (isBuilt) {
		say(`Building ${folder} when it has changed …`);
		await buildPages(folder, stopping.signal);
	}
	const settings = part.settings(environment);
	const connect = Object.values(settings).map((url) => new URL(url).origin);
	const use = pagesPort(part, environment);
	const served = join(root, folder, isBuilt ? "dist" : ".");
	const pages = await startPages({ name, folder: served, port: use.port, settings, connect }).catch(
		(error) => {
			throw error.code === "EADDRINUSE" ? new Error(describeTaken(use), { cause: error }) : error;
		},
	);
	stopping.onStop(() => pages.close());
	return { title, url: pages.url };
}
