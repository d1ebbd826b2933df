import { join } from "node:path";
import type pg from "pg";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { type Cores, moveTo, processorMsOf, splitCores } from "../sign-on/cores.ts";
import { startWorker } from "../sign-on/driver.ts";
import { type Running, startServer, stopChild } from "../sign-on/processes.ts";
import { statementsCounted } from "../sign-on/stage.ts";
import { type Person, startAround } from "./around.ts";
import type { Job, Outcome, Sender } from "./load-process.ts";
import type { Options } from "./options.ts";
import {
	createDatabases,
	type Databases,
	keyEncryptionKeys,
	provideMail,
	startMailServer,
	type Taken,
} from "./servers.ts";

const path = join(import.meta.dirname, "../../.lango/bench-postgres");
/** What every message of the bench says, if nothing else is given. */
export const message = {
	channel: "email",
	template: "shared/generic_notification",
	data: {
		name: "Amina",
		title: "Results are ready",
		message: "Please call the ward before noon.",
		action_link: "https://uhai.example/results",
	},
};

/** A server to measure. Senders are the callers of the load, in turn. */
export type Target = { name: string; running: Running; senders: readonly Sender[] };
/** A result with the processor time per request of the server and of PostgreSQL, in microseconds. */
export type Measured = Outcome & { ownUs: number; databaseUs: number };
export type Load = Partial<Job> & Pick<Job, "seconds" | "connections"> & { tenants: number };

type Servers = {
	/** Starts the notification service. With `answerMs` it sends, to a mail server that takes so long. */
	startService(how?: { answerMs?: number }): Promise<Target>;
	/** Starts the peer. With `answerMs` its workers send, to a mail server that takes so long. */
	startPeer(how?: { answerMs?: number }): Promise<Target>;
	startFloor(): Promise<Target>;
	/** Asks the latest mail server. */
	readMailServer(): Promise<Taken>;
	/** Where the latest mail server speaks the API of Postmark. */
	mailServerUrl(): string;
};

/** PostgreSQL, the issuer, the subscription service and the driver. Servers start when they are needed. */
export type Stage = Servers & {
	options: Options;
	cores: Cores;
	admin: pg.Client;
	adminUrl: string;
	/** The id of the tenant of the first sender. */
	tenantId: string;
	/** Creates people of that tenant with tokens. */
	makePeople(count: number): Person[];
	/** The path of their streams. */
	streamPath: string;
	databasePid: number;
	drive(target: Target, load: Load): Promise<Measured>;
	close(): Promise<void>;
};

/** Opens the stage. Close it by `close`, which also removes the databases. */
export async function openStage(options: Options): Promise<Stage> {
	const cores = splitCores(options.isPinned);
	await removeCluster(path);
	const settings = options.isProfiled ? statementsCounted : {};
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	const stops: Array<() => Promise<unknown>> = [() => removeCluster(path), () => cluster.stop()];
	const close = async () => {
		for (const stop of stops.toReversed()) await stop();
	};
	try {
		moveTo(cores, cluster.pid, cores.rest);
		const around = await startAround(options, stops);
		const databases = await createDatabases(cluster);
		stops.push(() => databases.admin.end());
		const servers = openServers({ options, cores, databases, around, stops });
		const driver = startWorker("../notifications/load-process.ts", cores, cores.rest);
		stops.push(() => stopChild(driver.child));
		return {
			...{ options, cores, close, tenantId: around.tenantId, databasePid: cluster.pid },
			...{ makePeople: around.makePeople, streamPath: around.streamPath },
			...{ admin: databases.admin, adminUrl: databases.adminUrl },
			...servers,
			drive: (target, { tenants, ...load }) =>
				give(driver, {
					...{ target, databasePid: cluster.pid },
					job: {
						...{ url: target.running.url, senders: target.senders.slice(0, tenants), message },
						...{ recipients: 1, settleSeconds: 1, ...load },
					},
				}),
		};
	} catch (error) {
		await close();
		throw error;
	}
}

type Surroundings = {
	options: Options;
	cores: Cores;
	databases: Databases;
	around: Awaited<ReturnType<typeof startAround>>;
	stops: Array<() => Promise<unknown>>;
};

function openServers({ options, cores, databases, around, stops }: Surroundings): Servers {
	let mailServer: ReturnType<typeof startMailServer> | undefined;
	const openMailServer = async (answerMs: number) => {
		await mailServer?.stop();
		mailServer = startMailServer(cores, answerMs);
		stops.push(mailServer.stop);
		return mailServer.port;
	};
	const currentMailServer = () => {
		if (mailServer === undefined) throw new Error("there is no mail server");
		return mailServer;
	};
	const start = async (
		name: string,
		how: Pick<Parameters<typeof startServer>[0], "program" | "environment">,
	) => {
		const readyPath = how.program.startsWith("services/") ? "/readyz" : "/healthz";
		const { isProfiled } = options;
		const running = await startServer({ name, ...how, readyPath, cores, on: cores.server, isProfiled });
		stops.push(running.stop);
		return running;
	};
	const startPlain = async (name: string, { program, smtpPort }: { program: string; smtpPort?: number }) => {
		const environment = ({ port }: { port: number }) => ({
			...{ PORT: String(port), DATABASE_URL: databases.peerUrl },
			DATABASE_CONNECTIONS: String(options.databaseConnections),
			...(smtpPort !== undefined && { SMTP_PORT: String(smtpPort) }),
		});
		const running = await start(name.replaceAll(" ", "-"), { program, environment });
		return { name, running, senders: [{ path: "/messages", token: "none" }] };
	};
	return {
		async startService({ answerMs }: { answerMs?: number } = {}): Promise<Target> {
			await provideMail(databases, answerMs === undefined ? 9 : await openMailServer(answerMs));
			const running = await start(answerMs === undefined ? "notifications-accepting" : "notifications", {
				program: "services/notifications/src/main.ts",
				environment: ({ port }) => ({
					...around.environment,
					...{ NOTIFICATIONS_PORT: String(port), NOTIFICATIONS_DATABASE_URL: databases.appUrl },
					NOTIFICATIONS_DATABASE_CONNECTIONS_MAX: String(options.databaseConnections),
					NOTIFICATIONS_KEY_ENCRYPTION_KEYS: keyEncryptionKeys,
					...{ LANGO_CONNECTIONS_MAX: "20000", LANGO_CONNECTIONS_PER_ADDRESS_MAX: "0" },
					...{ NOTIFICATIONS_DISPATCH: answerMs === undefined ? "off" : "on", LOG_LEVEL: "warn" },
				}),
			});
			return { name: "notifications", running, senders: around.senders };
		},
		async startPeer({ answerMs }: { answerMs?: number } = {}): Promise<Target> {
			const program = "bench/notifications/peer-process.ts";
			if (answerMs === undefined) return startPlain("peer", { program });
			return startPlain("sending peer", { program, smtpPort: await openMailServer(answerMs) });
		},
		startFloor: (): Promise<Target> =>
			startPlain("floor", { program: "bench/notifications/floor-process.ts" }),
		readMailServer: () => currentMailServer().read(),
		mailServerUrl: () => currentMailServer().url,
	};
}

async function give(
	{ ask }: ReturnType<typeof startWorker>,
	{ target, databasePid, job }: { target: Target; databasePid: number; job: Job },
): Promise<Measured> {
	const { pid } = target.running;
	const [own, database] = [processorMsOf(pid), processorMsOf(databasePid)];
	const { result, error } = await ask<{ result: Outcome; error?: string }>(job);
	if (error !== undefined) throw new Error(`${target.name}: ${error}`);
	const each = (ms: number) => (ms * 1_000) / result.total;
	return {
		...result,
		ownUs: each(processorMsOf(pid) - own),
		databaseUs: each(processorMsOf(databasePid) - database),
	};
}
