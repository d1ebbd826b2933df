import { fork } from "node:child_process";
import { join } from "node:path";
import { migrate, prepareDatabase } from "@lango/postgres";
import pg from "pg";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { parts } from "../../tools/up.ts";
import { databaseAt } from "../database-at.ts";
import { processorMsOf } from "../sign-on/cores.ts";
import { stopChild } from "../sign-on/processes.ts";
import { statementsCounted } from "../sign-on/stage.ts";
import type { Ran, Run, RunAnswer } from "./answer-runs.ts";
import type { Options } from "./options.ts";

const root = join(import.meta.dirname, "../..");
const path = join(root, ".lango/bench-postgres");
/** The database of the measured service. */
export const database = "bench_treasury";

/**
 * The result of a run of all processes; `databaseUs` is the processor time of PostgreSQL for one
 * transaction.
 */
export type Measured = Pick<Ran, "p50" | "p95"> & { perSecond: number; databaseUs: number };
/** Processes with one program. */
export type Workers = { run(run: Omit<Run, "connections">): Promise<Measured>; stop(): Promise<void> };

/** PostgreSQL with the database of the service. Programs start when they are needed. */
export type Stage = {
	options: Options;
	admin: pg.Client;
	adminUrl: string;
	/** The database with the role of the service. */
	appUrl: string;
	/**
	 * Starts processes of a program, relative to the root. Each gets the address, its connections, and
	 * `words`.
	 */
	startWorkers(program: string, url: string, words?: readonly string[]): Workers;
	close(): Promise<void>;
};

/** Opens the stage. Close it by `close`, which also removes the databases. */
export async function openStage(options: Options): Promise<Stage> {
	await removeCluster(path);
	const settings = options.isProfiled ? statementsCounted : {};
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	const stops: Array<() => Promise<unknown>> = [() => removeCluster(path), () => cluster.stop()];
	const close = async () => {
		for (const stop of stops.toReversed()) await stop();
	};
	try {
		const { owner, app: appUrl } = await prepareDatabase(cluster.adminUrl, database);
		await migrate(owner, serviceOfBench().migrations);
		const adminUrl = databaseAt(cluster.adminUrl, database);
		const admin = new pg.Client({ connectionString: adminUrl });
		await admin.connect();
		stops.push(() => admin.end());
		const startWorkers: Stage["startWorkers"] = (program, url, words = []) => {
			const workers = openWorkers({
				program,
				words: [url, String(options.connections), ...words],
				options,
				pid: cluster.pid,
			});
			stops.push(workers.stop);
			return workers;
		};
		return { options, admin, adminUrl, appUrl, startWorkers, close };
	} catch (error) {
		await close();
		throw error;
	}
}

function serviceOfBench() {
	const part = parts.services.find(({ service }) => service.name === "treasury");
	if (part === undefined) throw new Error("there is no treasury");
	return part.service;
}

/** What processes run; `pid` is PostgreSQL's, whose processor time is measured. */
type Opening = {
	program: string;
	words: readonly string[];
	options: Pick<Options, "processes" | "connections">;
	pid: number;
};

/** Starts processes that answer runs (`answer-runs.ts`). */
export function openWorkers({ program, words, options, pid }: Opening): Workers {
	const children = Array.from({ length: options.processes }, () =>
		fork(join(root, program), [...words], {
			...{ cwd: root, execArgv: nodeFlags },
			env: { PATH: process.env["PATH"], NODE_ENV: "production" },
		}),
	);
	const ask = (child: (typeof children)[number], run: Run) =>
		new Promise<Ran>((done, fail) => {
			const ended = () => fail(new Error(`${program} has ended`));
			child.once("exit", ended);
			child.once("message", (answer: RunAnswer) => {
				child.off("exit", ended);
				if ("error" in answer) fail(new Error(`${program}: ${answer.error}`));
				else done(answer.result);
			});
			child.send(run);
		});
	return {
		async run(run) {
			const before = processorMsOf(pid);
			const ran = await Promise.all(
				children.map((child) => ask(child, { ...run, connections: options.connections })),
			);
			const transactions = ran.reduce((sum, one) => sum + one.transactions, 0);
			return {
				perSecond: ran.reduce((sum, one) => sum + (one.transactions * 1_000) / one.ms, 0),
				p50: Math.max(...ran.map((one) => one.p50)),
				p95: Math.max(...ran.map((one) => one.p95)),
				databaseUs: ((processorMsOf(pid) - before) * 1_000) / transactions,
			};
		},
		stop: async () => {
			for (const child of children) await stopChild(child);
		},
	};
}
