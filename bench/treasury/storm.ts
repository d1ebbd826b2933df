import { fork } from "node:child_process";
import { join } from "node:path";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { describeMachine } from "../machine.ts";
import { table } from "../report.ts";

const root = join(import.meta.dirname, "../..");
const path = join(root, ".lango/bench-postgres");

/** What `services/treasury/test/storm-process.ts` sends. */
type Answer = {
	found: {
		collections: number;
		collectedMinor: number;
		receipts: number;
		receivedMinor: number;
		lost: readonly string[];
		doubled: readonly string[];
		bills: Readonly<Record<string, number>>;
		webhooks: number;
		events: number;
	};
	wrong: readonly object[];
	seconds: number;
	memoryMax: number;
};

/**
 * Runs the storm of the treasury's tests with so many bills, and prints what it found. Throws an Error if
 * money was lost or doubled, or if a rule of the ledger is broken.
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
	const child = fork(join(root, "services/treasury/test/storm-process.ts"), [String(bills)], {
		...{ cwd: root, execArgv: nodeFlags },
		env: { PATH: process.env["PATH"], TEST_DATABASE_URL: adminUrl },
	});
	return new Promise((done, fail) => {
		child.once("message", (answer: Answer) => done(answer));
		child.once("exit", (code) => fail(new Error(`the storm ended with ${code} and without an answer`)));
	});
}

function print({ found, wrong, seconds, memoryMax }: Answer): void {
	const { collections, collectedMinor, receipts, receivedMinor, lost, doubled, bills } = found;
	const rows = {
		...{ "webhooks stored, repeated ones included": found.webhooks, "events published": found.events },
		...{ "collections at the gateways": collections, "their sum, in cents": collectedMinor },
		...{ "receipts of the treasury": receipts, "their sum in cents": receivedMinor },
		...{ lost: lost.length, doubled: doubled.length, "broken rules": wrong.length },
		...Object.fromEntries(Object.entries(bills).map(([status, count]) => [`bills ${status}`, count])),
		...{ seconds, "most memory, in MB": memoryMax },
	};
	console.log(describeMachine());
	const cells = Object.entries(rows).map(([what, count]) => [what, String(count)]);
	console.log(table(["storm", ""], cells));
}

function requireExact({ found: { lost, doubled, bills }, wrong }: Answer): void {
	const open = bills["processing"] ?? 0;
	if (lost.length + doubled.length + wrong.length + open === 0) return;
	const lines = [
		...lost.map((one) => `lost: ${one}`),
		...doubled.map((one) => `doubled: ${one}`),
		...wrong.map((one) => JSON.stringify(one)),
	];
	throw new Error(
		[`${open} bills are still being collected; differences:`, ...lines.slice(0, 20)].join("\n"),
	);
}
