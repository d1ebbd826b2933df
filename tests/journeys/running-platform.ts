import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { findFreePorts } from "@lango/testkit";
import { findCluster, removeCluster } from "../../tools/postgres/cluster.ts";
import { sendSignal, waitForEnd } from "../../tools/postgres/process.ts";
import { listPorts } from "../../tools/up/parts.ts";
import { parts } from "../../tools/up.ts";
import { platformDatabase } from "./platform-database.ts";

const root = resolve(import.meta.dirname, "../..");
const readySecondsMax = 140;
const stopSecondsMax = 30;
const names = [
	...(["accounts", "console", "sign-in", "auth", "subscriptions", "hospital"] as const),
	...(["notifications", "treasury", "messages-sandbox", "mobile-money-sandbox"] as const),
	...(["card-gateway-sandbox"] as const),
];

export type RunningPlatform = {
	/** Where each part answers, for example urls.accounts. */
	urls: Readonly<Record<(typeof names)[number], string>>;
	/** The administrator's address of its PostgreSQL: where a journey brings about what people cannot. */
	databaseUrl: string;
	/** The port of the mail server that imitates a provider. */
	smtpPort: number;
	/** Stops it as Ctrl-C does, and throws when it did not end by itself. */
	stop: () => Promise<void>;
	/** What another process needs to stop it. */
	leftover: Leftover;
};

/** A platform by its process and its folder. */
export type Leftover = { pid: number; home: string };

/**
 * Brings the whole platform up as `npm start` does, on free ports and with data of its own, so that it
 * disturbs neither a platform already running here nor its data; `environment` is added to its own. Throws
 * with the end of its output when it does not come up. On a machine that does much else beside, a start can
 * run into its own time limits: that is logged, and it is started once more.
 */
export async function startPlatform(environment: Record<string, string> = {}): Promise<RunningPlatform> {
	try {
		return await startOnce(environment);
	} catch (error) {
		if (!(error instanceof Error) || !/time(out| limit)/i.test(error.message)) throw error;
		console.warn(`${error.message}\nIt is started once more.`);
		return startOnce(environment);
	}
}

async function startOnce(environment: Record<string, string>): Promise<RunningPlatform> {
	const given = await platformDatabase();
	const home = await makeHome();
	const uses = listPorts(parts, {});
	const ports = await findFreePorts(uses.length);
	const own = uses.map(({ setting }, index) => [setting, `${ports[index]}`]);
	const child = spawn(process.execPath, ["tools/up.ts"], {
		cwd: root,
		env: {
			...inherited(),
			...Object.fromEntries(own),
			LANGO_HOME: home,
			...(given !== undefined && { DATABASE_URL: given }),
			...environment,
		},
		stdio: ["ignore", "pipe", "pipe"],
	});
	const stop = async () => {
		await end(child);
		await removeHome(home);
	};
	try {
		await becomesReady(child);
	} catch (error) {
		await stop();
		throw error;
	}
	const urls = names.map((name) => {
		const port = ports[uses.findIndex((use) => use.name === name)];
		return [name, `http://localhost:${port}`];
	});
	const databaseUrl = given ?? findCluster(join(home, "postgres"))?.adminUrl ?? "";
	const smtpPort = ports[uses.findIndex(({ setting }) => setting === "MESSAGES_SANDBOX_SMTP_PORT")] ?? 0;
	const leftover = { pid: child.pid ?? 0, home };
	return { urls: Object.fromEntries(urls) as RunningPlatform["urls"], databaseUrl, smtpPort, stop, leftover };
}

/** Stops a platform that another process of this run started, if it still runs, and removes its data. */
export async function removeLeftover(leftover: Leftover): Promise<void> {
	await endLeftover(leftover);
	await removeHome(leftover.home);
}

/** Stops a platform, if it still runs, and keeps its data. */
export async function endLeftover({ pid }: Leftover): Promise<void> {
	sendSignal(pid, "SIGINT");
	if (!(await waitForEnd(pid, stopSecondsMax))) sendSignal(pid, "SIGKILL");
}

/** The folder of a new platform: a copy of what prepare-platform.ts has prepared, or empty without that. */
async function makeHome(): Promise<string> {
	const home = await mkdtemp(join(tmpdir(), "lango-journey-"));
	const prepared = process.env["LANGO_PREPARED_HOME"];
	if (prepared === undefined) return home;
	// Data that are elsewhere (`placeData`) are not copied: this platform makes its own.
	if ((await lstat(join(prepared, "postgres"))).isSymbolicLink()) return home;
	// The data keep their owner.
	await promisify(execFile)("cp", ["-a", `${prepared}/.`, home]);
	return home;
}

async function removeHome(home: string): Promise<void> {
	await removeCluster(join(home, "postgres"));
	await rm(home, { recursive: true, force: true });
}

/** Our environment without what would lead to another platform, its database or its bus. */
function inherited(): NodeJS.ProcessEnv {
	const others = /^(LANGO_|NODE_ENV$|.*_(PORT|HOST|URL|URLS|ORIGINS)$)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !others.test(name)));
}

async function becomesReady(child: ChildProcess): Promise<void> {
	let said = "";
	const patience = AbortSignal.timeout(readySecondsMax * 1000);
	const ready = new Promise<string | undefined>((answered) => {
		const read = (chunk: Buffer) => {
			said += chunk;
			if (said.includes("Lango is ready")) answered(undefined);
		};
		child.stdout?.on("data", read);
		child.stderr?.on("data", read);
		child.once("error", ({ message }) => answered(`could not be started (${message})`));
		child.once("exit", (code) => answered(`ended with code ${code}`));
		patience.addEventListener("abort", () => answered(`was not ready after ${readySecondsMax} seconds`));
	});
	const fault = await ready;
	if (fault !== undefined) throw new Error(`The platform ${fault}:\n${said.slice(-4000)}`);
}

async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	child.kill("SIGINT");
	const late = setTimeout(() => child.kill("SIGKILL"), stopSecondsMax * 1000);
	const [, signal] = await once(child, "exit");
	clearTimeout(late);
	if (signal === "SIGKILL") throw new Error(`The platform did not stop within ${stopSecondsMax} seconds.`);
}
