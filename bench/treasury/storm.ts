import { fork } from "node:child_process";
import { join } from "node:path";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { describeMachine } from "../machine.ts";
import { table } from "../report.ts";

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

/** What `services/treasury/test/storm/storm-process.ts` sends. */
type Answer = {
	found: {
		moved: Readonly<Record<string, Compared>>;
		accounts: Readonly<Record<string, { ours: number; truth: number }>>;
		unexplained: readonly object[];
		wrong: readonly object[];
		bills: Readonly<Record<string, number>>;
		ends: Readonly<Record<string, number>>;
		webhooks: number;
		events: number;
		kills: number;
	};
	seconds: number;
	passed: ReadonlyArray<{
		seconds: number;
		what: string;
		paid: number;
		webhooks: number;
		kills: number;
		service: Used;
		sandboxes: Used;
	}>;
};

/**
 * Runs the storm of the treasury's tests with so many bills, and prints what it found, and how time and
 * memory grew. Throws an Error if money was lost or doubled, if the books differ from the gateways, or if a
 * rule is broken.
 */
export async function storm(bills: number): Promise<void> {
	await removeCluster(path);
	const cluster = await startCluster({ path, settings: {}, signal: new AbortController().signal });
	try {
		const answer = await runProcess(bills, cluster.adminUrl);
		print(answer);
		requireExact(answer);
	} finally {
		await cluster.stop();
		await removeCluster(path);
	}
}

function runProcess(bills: number, adminUrl: string): Promise<Answer> {
	const child = fork(join(root, "services/treasury/test/storm/storm-process.ts"), [String(bills)], {
		...{ cwd: root, execArgv: nodeFlags },
		env: { PATH: process.env["PATH"], TEST_DATABASE_URL: adminUrl },
	});
	return new Promise((done, fail) => {
		child.once("message", (answer: Answer) => done(answer));
		child.once("exit", (code) => fail(new Error(`the storm ended with ${code} and without an answer`)));
	});
}

function print({ found, seconds, passed }: Answer): void {
	const { moved, bills, ends } = found;
	const counts = {
		...{ "webhooks stored, repeated ones included": found.webhooks, "events published": found.events },
		...{ "processes killed": found.kills, "accounts that differ": Object.keys(found.accounts).length },
		...{ "exceptions without an explanation": found.unexplained.length, "broken rules": found.wrong.length },
		...Object.fromEntries(Object.entries(bills).map(([status, count]) => [`bills ${status}`, count])),
		...{ ...ends, seconds },
	};
	console.log(describeMachine());
	const head = ["moved", "at the gateways", "in cents", "in the treasury", "in cents", "lost", "doubled"];
	const lines = Object.entries(moved).map(([kind, one]) => [
		...[kind, one.truth, one.truthMinor, one.ours, one.oursMinor, one.lost.length, one.doubled.length].map(
			String,
		),
	]);
	console.log(table(head, lines));
	console.log(
		table(
			["storm", ""],
			Object.entries(counts).map(([what, count]) => [what, String(count)]),
		),
	);
	printGrowth(passed);
}

/** At the end of each wave, and of the time that passes after each round. */
function printGrowth(passed: Answer["passed"]): void {
	const rows = passed.map(({ seconds, what, paid, webhooks, service, sandboxes }) => [
		...[String(seconds), what, String(paid), String(webhooks)],
		...[service.processorSeconds.toFixed(0), String(service.memoryMb), String(service.memoryMaxMb)],
		...[sandboxes.processorSeconds.toFixed(0), String(sandboxes.memoryMb)],
	]);
	const head = ["s", "", "bills", "webhooks", "service s", "MB", "most MB", "sandboxes s", "MB"];
	console.log(table(head, rows));
}

function requireExact({ found: { moved, accounts, bills, unexplained, wrong } }: Answer): void {
	const lines = [
		...Object.entries(moved).flatMap(([kind, { lost, doubled }]) => [
			...lost.map((one) => `lost: ${kind} ${one}`),
			...doubled.map((one) => `doubled: ${kind} ${one}`),
		]),
		...Object.entries(accounts).map(([code, both]) => `${code}: ${JSON.stringify(both)}`),
		...[...unexplained, ...wrong].map((one) => JSON.stringify(one)),
	];
	const open = bills["processing"] ?? 0;
	if (lines.length + open === 0) return;
	throw new Error(
		[`${open} bills are still being collected; differences:`, ...lines.slice(0, 30)].join("\n"),
	);
}
