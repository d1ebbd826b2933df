import { setTimeout as sleep } from "node:timers/promises";
import { median, spreadOf } from "../figures.ts";
import { rate, type Section, table } from "../report.ts";
import { rates } from "../sign-on/interleave.ts";
import type { Load } from "../sign-on/load.ts";
import type { Installation } from "../sign-on/stage.ts";
import { checkpoint, countStatements, readCounters } from "./costs.store.ts";
import { openTarget } from "./large.ts";
import { type Cost, type MeasuredFlow, measuredFlows } from "./recorded.ts";
import { type Measured, measure, type Placed, type Stage } from "./stage.ts";

/** Measures the mean cost of each kind of request at full load, with the server on its own core. */
export async function measureRequests(
	stage: Stage,
	large: Installation,
): Promise<{ section: Section; costs: Record<MeasuredFlow, Cost> }> {
	const { placed, seeds, close } = await openTarget(stage, large, "requests");
	await stage.driver.prepare({ target: placed.target, seeds });
	const idle = await countIdle(stage, large);
	const found: Array<[MeasuredFlow, Cost]> = [];
	const rows: string[][] = [];
	for (const flow of measuredFlows) {
		const load: Load = { flow, connections: flow === "sign-in" ? 8 : stage.options.connections };
		const cost = await countCost(stage, large, { placed, load, idle });
		const runs: Measured[] = [];
		for (let run = 0; run < stage.options.runs; run += 1)
			runs.push(await measure(stage, placed, { load, seconds: stage.options.seconds }));
		const middle = (read: (measured: Measured) => number) => median(runs.map(read));
		found.push([
			flow,
			{
				...cost,
				perSecond: middle(({ perSecond }) => perSecond),
				serverMs: middle(({ serverMs }) => serverMs),
				databaseMs: middle(({ databaseMs }) => databaseMs),
				driverMs: middle(({ driverMs }) => driverMs),
			},
		]);
		rows.push([flow, rate(spreadOf(rates(runs)))]);
	}
	await close();
	return { section: describe(found, rows), costs: Object.fromEntries(found) as Record<MeasuredFlow, Cost> };
}

type Counted = Pick<Cost, "statements" | "walBytes" | "pages" | "rows" | "receivedBytes">;

/** The counts per second without requests. */
type Idle = Pick<Cost, "statements" | "walBytes" | "pages">;

async function countIdle(stage: Stage, { adminUrl, name }: Installation): Promise<Idle> {
	await countStatements(adminUrl, true);
	const [begin, before] = [performance.now(), await readCounters(adminUrl, name)];
	await sleep(stage.options.seconds * 1_000);
	const after = await readCounters(adminUrl, name);
	const seconds = (performance.now() - begin) / 1_000;
	await countStatements(adminUrl, false);
	const each = (what: keyof Idle) => (after[what] - before[what]) / seconds;
	return { statements: each("statements"), walBytes: each("walBytes"), pages: each("pages") };
}

/** Warms up, and then counts the statements since a checkpoint. */
async function countCost(
	stage: Stage,
	{ adminUrl, name }: Installation,
	{ placed, load, idle }: { placed: Placed; load: Load; idle: Idle },
): Promise<Counted> {
	await measure(stage, placed, { load, seconds: stage.options.warmUpSeconds });
	await checkpoint(adminUrl);
	await countStatements(adminUrl, true);
	const [begin, before] = [performance.now(), await readCounters(adminUrl, name)];
	const { total, receivedBytes } = await measure(stage, placed, {
		load,
		seconds: stage.options.warmUpSeconds,
	});
	const after = await readCounters(adminUrl, name);
	const seconds = (performance.now() - begin) / 1_000;
	await countStatements(adminUrl, false);
	const each = (what: keyof Idle) => Math.max(0, after[what] - before[what] - idle[what] * seconds) / total;
	return {
		statements: each("statements"),
		walBytes: each("walBytes"),
		pages: each("pages"),
		receivedBytes,
		rows: Object.fromEntries(
			Object.entries(after.rows).map(([table, rows]) => [table, (rows - (before.rows[table] ?? 0)) / total]),
		),
	};
}

function describe(
	found: ReadonlyArray<[MeasuredFlow, Cost]>,
	rates: ReadonlyArray<readonly string[]>,
): Section {
	const rows = found.map(([flow, cost], at) => [
		flow,
		rates[at]?.[1] ?? "",
		cost.serverMs.toFixed(2),
		cost.databaseMs.toFixed(2),
		cost.driverMs.toFixed(2),
		digits(1_000 / cost.serverMs),
		digits(1_000 / cost.databaseMs),
		cost.statements.toFixed(1),
		cost.walBytes.toFixed(0),
		cost.pages.toFixed(2),
		Object.entries(cost.rows)
			.filter(([, rows]) => Math.abs(rows) >= 0.05)
			.map(([name, rows]) => `${name} ${rows > 0 ? "+" : "−"}${Math.abs(rows).toFixed(1)}`)
			.join(", "),
	]);
	const head = [
		"at full load",
		"a second",
		"processor ms of the server",
		"of PostgreSQL",
		"of the driver",
		"per second on one core of the server",
		"per second on one core of PostgreSQL",
		"statements",
		"WAL bytes",
		"changed pages",
		"rows",
	];
	return {
		title: "What a request costs",
		text: `${table(head, rows)}

People are selected evenly. "Per second on one core" is one second divided by the processor time before it. Statements are those that the service sends, including begin
and commit. WAL bytes are those of the changes. PostgreSQL also writes each page whole (up to 8 kB) at its first change after a checkpoint, so with many more sessions
than here add 8 kB for each page that a request changes. The processor times include relays and jobs; the counts do not. The code flow is two requests.`,
		verdicts: [],
	};
}

const digits = (figure: number) => (figure >= 100 ? figure.toFixed(0) : figure.toFixed(1));
