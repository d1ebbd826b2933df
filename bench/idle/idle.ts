import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPlatform } from "../../tests/journeys/running-platform.ts";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { parseArguments } from "../arguments.ts";
import { type Run, reportBench, type Section, table } from "../report.ts";
import { countable } from "../scale/costs.store.ts";
import { runMsOf } from "../sign-on/cores.ts";
import { countStatements } from "../sign-on/installation.store.ts";
import { type IdleStatement, listIdleStatements } from "./statements.store.ts";

/** What an unused platform asks of PostgreSQL. */
export const idle = (words: readonly string[]): Promise<void> =>
	reportBench("idle", words, (run) => measure(run, words));

const statementsMax = 40;
const shownMax = 15;

/** The times in seconds: until the start has settled, and of the measurement. With `--look`: short. */
const [full, look] = [
	{ settle: 70, seconds: 60 },
	{ settle: 5, seconds: 5 },
];

async function measure({ add }: Run, words: readonly string[]): Promise<undefined> {
	const { number } = parseArguments(words, {
		defaults: (given) => (given["look"] === true ? look : full),
		flags: ["look"],
		parts: { a: "platform" },
	});
	const home = await mkdtemp(join(tmpdir(), "lango-idle-"));
	const path = join(home, "postgres");
	const ending = new AbortController();
	try {
		const cluster = await startCluster({ path, settings: countable, signal: ending.signal });
		const platform = await startPlatform({ DATABASE_URL: cluster.adminUrl });
		try {
			const times = { settle: number("settle"), seconds: number("seconds") };
			add(await observe(cluster.adminUrl, platform.leftover.pid, times));
		} finally {
			await platform.stop();
		}
	} finally {
		ending.abort();
		await removeCluster(path);
		await rm(home, { recursive: true, force: true });
	}
}

async function observe(
	adminUrl: string,
	pid: number,
	{ settle, seconds }: { settle: number; seconds: number },
): Promise<Section> {
	await sleep(settle * 1_000);
	await countStatements(adminUrl);
	const [startedAt, ranMs] = [performance.now(), runMsOf(pid)];
	await sleep(seconds * 1_000);
	const ms = performance.now() - startedAt;
	const share = `${(((runMsOf(pid) - ranMs) / ms) * 100).toFixed(1)} %`;
	const statements = await listIdleStatements(adminUrl);
	const rate = (calls: number) => (calls / (ms / 1_000)).toFixed(2);
	const total = statements.reduce((sum, { calls }) => sum + calls, 0) / (ms / 1_000);
	const figures = table(["statements per second", "processor of the services"], [[total.toFixed(1), share]]);
	const row = ({ text, calls }: IdleStatement) => [rate(calls), `\`${text.replaceAll("|", "\\|")}\``];
	return {
		title: "An unused platform",
		text: `${figures}\n\n${table(["per second", "statement"], statements.slice(0, shownMax).map(row))}`,
		verdicts: [
			{
				what: "statements per second of all services",
				figure: total.toFixed(1),
				target: `< ${statementsMax}`,
				isReached: total < statementsMax,
				ifNot: "",
			},
		],
	};
}
