import { execFileSync, fork } from "node:child_process";
import { join } from "node:path";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { loadNow } from "../machine.ts";
import { table } from "../report.ts";
import { memoryMbOf, processorMsOf } from "../sign-on/cores.ts";
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
	driverMb: number;
};

type Found = {
	moved: Readonly<Record<string, Compared>>;
	accounts: Readonly<Record<string, { ours: number; truth: number }>>;
	unexplained: readonly object[];
	wrong: readonly object[];
	/** What every storm has to do and this one did not. */
	missing: readonly string[];
	/** Fees and losses, and how often operators did what; missing in files of earlier storms. */
	losses?: Readonly<Record<string, { ours: number; explained: number }>>;
	decisions?: Readonly<Record<string, number>>;
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
	passed: readonly Moment[];
	/** When it began, and the version of the code. */
	date: string;
	version: string;
};

/** How far a storm was, what PostgreSQL had used, and the load of the machine. */
type Moment = Passed & { databaseSeconds: number; postgresMb: number; load: number };

/** How many events a storm had until a moment. */
export const sumOf = (events: Readonly<Record<string, number>>): number =>
	Object.values(events).reduce((sum, count) => sum + count, 0);

type Options = { bills: number; minutes: number; isProfiled: boolean };

/**
 * Runs the storm of the treasury's tests with so many bills. If it finds something, its database stays in
 * `.lango/bench-postgres` until the next one.
 */
export async function runStorm({ isProfiled, ...size }: Options): Promise<Storm> {
	await removeCluster(path);
	const settings = isProfiled ? statementsCounted : {};
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	let isKept = false;
	try {
		if (isProfiled) await countStatements(cluster.adminUrl);
		const storm = await runProcess(size, cluster);
		if (isProfiled) await printStatements(cluster.adminUrl, [undefined]);
		isKept = storm.differences.length > 0;
		return storm;
	} finally {
		await cluster.stop();
		if (!isKept) await removeCluster(path);
	}
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;

type Size = Pick<Options, "bills" | "minutes">;

function runProcess({ bills, minutes }: Size, { adminUrl, pid }: Cluster): Promise<Storm> {
	const [program, words] = ["services/treasury/test/storm/storm-process.ts", [bills, minutes].map(String)];
	const began = { date: new Date().toISOString(), version: codeNow() };
	const child = fork(join(root, program), words, {
		...{ cwd: root, execArgv: nodeFlags },
		env: { PATH: process.env["PATH"], TEST_DATABASE_URL: adminUrl },
	});
	const passed: Moment[] = [];
	let ended: Pick<Storm, "found" | "seconds"> | undefined;
	child.on("message", (message: Message) => {
		if ("found" in message) {
			ended = message;
			child.send(findDifferences(message.found).length === 0 ? "close" : "keep");
		} else passed.push({ ...message.passed, ...usedBy(pid), load: loadNow() });
	});
	return new Promise((done, fail) => {
		child.once("exit", (code) => {
			if (ended === undefined) fail(new Error(`the storm ended with ${code} and without an answer`));
			else done({ bills, passed, ...ended, ...began, differences: findDifferences(ended.found) });
		});
	});
}

/** The commit, with "-dirty" behind it if files differ from it. */
const codeNow = () =>
	execFileSync("git", ["describe", "--always", "--dirty"], { cwd: root, encoding: "utf8" }).trim();

/** What PostgreSQL used; of memory that its processes share each has a part. */
const usedBy = (pid: number) => ({
	databaseSeconds: processorMsOf(pid) / 1_000,
	postgresMb: Math.round(memoryMbOf(pid)),
});

/** What moved, what a storm had of everything, and how it grew, as Markdown. */
export function describe({ found, seconds, passed, date, version }: Storm): string {
	const { moved, bills, ends, losses = {}, decisions = {} } = found;
	const counts = {
		...Object.fromEntries(Object.entries(found.events).map(([what, count]) => [`events: ${what}`, count])),
		"events together": sumOf(found.events),
		...{ "processes killed": found.kills, "accounts that differ": Object.keys(found.accounts).length },
		...{ "exceptions without an explanation": found.unexplained.length, "broken rules": found.wrong.length },
		...Object.fromEntries(
			Object.entries(losses).flatMap(
				([code, { ours, explained }]): Array<[string, number]> => [
					[`${code}, in cents`, ours],
					[`${code} that the gateway explains, in cents`, explained],
				],
			),
		),
		...Object.fromEntries(Object.entries(decisions).map(([what, count]) => [`operators: ${what}`, count])),
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
	const began = `Began at ${date.slice(0, 16).replace("T", " ")} UTC, with the code of ${version}.`;
	return [began, table(head, lines), table(["storm", ""], rows), describeGrowth(passed)].join("\n\n");
}

/** At the end of each wave, of each round, and of the days that are compared. */
function describeGrowth(passed: Storm["passed"]): string {
	const rows = passed.map((one) => [
		...[String(one.seconds), one.what, String(one.paid), String(sumOf(one.events))],
		...[one.service.processorSeconds, one.databaseSeconds, one.sandboxes.processorSeconds].map(whole),
		...[whole(one.driverSeconds), String(one.service.memoryMb), String(one.service.memoryMaxMb)],
		...[one.postgresMb, one.sandboxes.memoryMb, one.driverMb, one.databaseMb].map(String),
		whole(one.load),
	]);
	const ofProcessor = ["treasury s", "PostgreSQL s", "sandboxes s", "driver s"];
	const ofMemory = ["treasury MB", "most MB", "PostgreSQL MB", "sandboxes MB", "driver MB", "database MB"];
	return table(["after s", "", "bills", "events", ...ofProcessor, ...ofMemory, "load"], rows);
}

const whole = (figure: number) => figure.toFixed(0);

function findDifferences({ moved, accounts, losses = {}, bills, ...found }: Found): string[] {
	const open = bills["processing"] ?? 0;
	return [
		...found.missing.map((what) => `did not happen: ${what}`),
		...Object.entries(moved).flatMap(([kind, { lost, doubled }]) => [
			...lost.map((one) => `lost: ${kind} ${one}`),
			...doubled.map((one) => `doubled: ${kind} ${one}`),
		]),
		...Object.entries(accounts).map(([code, both]) => `${code}: ${JSON.stringify(both)}`),
		...Object.entries(losses)
			.filter(([, { ours, explained }]) => ours !== explained)
			.map(([code, both]) => `${code}: ${JSON.stringify(both)}`),
		...[...found.unexplained, ...found.wrong].map((one) => JSON.stringify(one)),
		...(open === 0 ? [] : [`${open} bills are still being collected`]),
	];
}
