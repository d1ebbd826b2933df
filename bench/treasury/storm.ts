import { fork } from "node:child_process";
import { join } from "node:path";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { table } from "../report.ts";
import { processorMsOf } from "../sign-on/cores.ts";
import { countStatements } from "../sign-on/installation.store.ts";
import { printStatements } from "../sign-on/print-statements.ts";
import { statementsCounted } from "../sign-on/stage.ts";

const root = join(import.meta.dirname, "../..");
const path = join(root, ".lango/bench-postgres");

type Used = { processorSeconds: number; memoryMb: number; memoryMaxMb: number };
type Compared = {
	truth: number;
	truthMinor: number;
	ours: number;
	oursMinor: number;
	lost: readonly string[];
	doubled: readonly string[];
};

type Passed = {
	seconds: number;
	round: number;
	what: string;
	paid: number;
	kills: number;
	events: Readonly<Record<string, number>>;
	databaseMb: number;
	service: Used;
	sandboxes: Used;
	driverSeconds: number;
};

type Found = {
	moved: Readonly<Record<string, Compared>>;
	accounts: Readonly<Record<string, { ours: number; truth: number }>>;
	unexplained: readonly object[];
	wrong: readonly object[];
	bills: Readonly<Record<string, number>>;
	ends: Readonly<Record<string, number>>;
	events: Readonly<Record<string, number>>;
	kills: number;
};

/** What `services/treasury/test/storm/storm-process.ts` sends. */
type Message = { passed: Passed } | { found: Found; seconds: number };

/** A storm of so many bills: what it found, and how far it was at each moment. */
export type Storm = {
	bills: number;
	/** What was lost or doubled, or is not equal, explained or in order; empty: nothing. */
	differences: readonly string[];
	found: Found;
	seconds: number;
	passed: ReadonlyArray<Passed & { databaseSeconds: number }>;
};

/** How many events a storm had until a moment. */
export const sumOf = (events: Readonly<Record<string, number>>): number =>
	Object.values(events).reduce((sum, count) => sum + count, 0);

type Options = { bills: number; isProfiled: boolean };

/** Runs the storm of the treasury's tests with so many bills. */
export async function runStorm({ bills, isProfiled }: Options): Promise<Storm> {
	await removeCluster(path);
	const settings = isProfiled ? statementsCounted : {};
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	try {
		if (isProfiled) await countStatements(cluster.adminUrl);
		const storm = await runProcess(bills, cluster);
		if (isProfiled) await printStatements(cluster.adminUrl, [undefined]);
		return storm;
	} finally {
		await cluster.stop();
		await removeCluster(path);
	}
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;

function runProcess(bills: number, { adminUrl, pid }: Cluster): Promise<Storm> {
	const child = fork(join(root, "services/treasury/test/storm/storm-process.ts"), [String(bills)], {
		...{ cwd: root, execArgv: nodeFlags },
		env: { PATH: process.env["PATH"], TEST_DATABASE_URL: adminUrl },
	});
	const passed: Array<Passed & { databaseSeconds: number }> = [];
	let ended: Pick<Storm, "found" | "seconds"> | undefined;
	child.on("message", (message: Message) => {
		if ("found" in message) ended = message;
		else passed.push({ ...message.passed, databaseSeconds: processorMsOf(pid) / 1_000 });
	});
	return new Promise((done, fail) => {
		child.once("exit", (code) => {
			if (ended === undefined) fail(new Error(`the storm ended with ${code} and without an answer`));
			else done({ bills, passed, ...ended, differences: findDifferences(ended.found) });
		});
	});
}

/** What moved, what a storm had of everything, and how it grew, as Markdown. */
export function describe({ found, seconds, passed }: Storm): string {
	const { moved, bills, ends } = found;
	const counts = {
		...Object.fromEntries(Object.entries(found.events).map(([what, count]) => [`events: ${what}`, count])),
		"events together": sumOf(found.events),
		...{ "processes killed": found.kills, "accounts that differ": Object.keys(found.accounts).length },
		...{ "exceptions without an explanation": found.unexplained.length, "broken rules": found.wrong.length },
		...Object.fromEntries(Object.entries(bills).map(([status, count]) => [`bills ${status}`, count])),
		...{ ...ends, seconds },
	};
	const head = ["moved", "at the gateways", "in cents", "in the treasury", "in cents", "lost", "doubled"];
	const lines = Object.entries(moved).map(([kind, one]) => [
		...[kind, one.truth, one.truthMinor, one.ours, one.oursMinor, one.lost.length, one.doubled.length].map(
			String,
		),
	]);
	const rows = Object.entries(counts).map(([what, count]) => [what, String(count)]);
	return [table(head, lines), table(["storm", ""], rows), describeGrowth(passed)].join("\n\n");
}

/** At the end of each wave, of each round, and of the days that are compared. */
function describeGrowth(passed: Storm["passed"]): string {
	const rows = passed.map((one) => [
		...[String(one.seconds), one.what, String(one.paid), String(sumOf(one.events))],
		...[one.service.processorSeconds, one.databaseSeconds, one.sandboxes.processorSeconds].map(whole),
		...[whole(one.driverSeconds), String(one.service.memoryMb), String(one.service.memoryMaxMb)],
		...[String(one.sandboxes.memoryMb), String(one.databaseMb)],
	]);
	const ofProcessor = ["treasury s", "PostgreSQL s", "sandboxes s", "driver s"];
	const ofMemory = ["treasury MB", "most MB", "sandboxes MB", "database MB"];
	return table(["after s", "", "bills", "events", ...ofProcessor, ...ofMemory], rows);
}

const whole = (figure: number) => figure.toFixed(0);

function findDifferences({ moved, accounts, bills, unexplained, wrong }: Found): string[] {
	const open = bills["processing"] ?? 0;
	return [
		...Object.entries(moved).flatMap(([kind, { lost, doubled }]) => [
			...lost.map((one) => `lost: ${kind} ${one}`),
			...doubled.map((one) => `doubled: ${kind} ${one}`),
		]),
		...Object.entries(accounts).map(([code, both]) => `${code}: ${JSON.stringify(both)}`),
		...[...unexplained, ...wrong].map((one) => JSON.stringify(one)),
		...(open === 0 ? [] : [`${open} bills are still being collected`]),
	];
}
