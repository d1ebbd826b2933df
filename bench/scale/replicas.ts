import { availableParallelism } from "node:os";
import { median, ratios, spreadOf } from "../figures.ts";
import { ms, percent, rate, type Section, table, times, type Verdict } from "../report.ts";
import type { Flow } from "../sign-on/flows.ts";
import { requireSessionsBelowLimit } from "../sign-on/installation.store.ts";
import { rates, timesOf } from "../sign-on/interleave.ts";
import type { Load } from "../sign-on/load.ts";
import { compared } from "../sign-on/options.ts";
import { startServer } from "../sign-on/processes.ts";
import { drawPeople, type Installation, langoTarget, signInPeople } from "../sign-on/stage.ts";
import { type Measured, measure, type Placed, type Stage, togetherMs } from "./stage.ts";

const reachedMin = 0.85;
const dearerMax = 1.15;

/**
 * One replica of the sign-on service, two that the driver calls in turn, and two behind a round-robin proxy.
 */
type Field = { installation: Installation; one: Placed; two: Placed; behind: Placed; close(): Promise<void> };

/** Compares two replicas of the sign-on service with one, on the same cores as everything else. */
export async function compareReplicas(stage: Stage): Promise<Section> {
	const field = await openField(stage);
	const { one, two, behind } = field;
	const sections: Described[] = [];
	for (const [flow, placed, connections] of [
		["refresh", [one, two, behind], stage.options.connections],
		["code flow", [one, two], stage.options.connections],
		["sign-in", [one, two], 8],
	] as const)
		sections.push(describe(flow, await interleave(stage, placed, { flow, connections })));
	await requireSessionsBelowLimit(field.installation.adminUrl);
	await field.close();
	return {
		title: "Two replicas against one",
		text: `All processes use every core of the machine: replicas, PostgreSQL, driver and proxy compete for them. The
ceiling is the maximum by the processor times of the same run: ${availableParallelism()} cores ÷ (server + PostgreSQL + driver + proxy).

"Used by others" is other load of the machine; if it is high, the figures are less reliable. The driver calls "two" in turn, which costs nothing. "Two behind the
round-robin" are behind the proxy of tests/faults, a separate process with its own column.

${sections.map(({ text }) => text).join("\n\n")}`,
		verdicts: sections.flatMap(({ verdicts }) => verdicts),
	};
}

async function openField(stage: Stage): Promise<Field> {
	const installation = await stage.install("bench_replicas", compared);
	const first = await stage.startLango(installation);
	const second = await stage.startLango(installation, first.url);
	const members = [first.url, second.url];
	const proxy = await startServer({
		name: "round-robin",
		program: "bench/scale/round-robin-process.ts",
		readyPath: "/readyz",
		environment: ({ port }) => ({ PORT: String(port), MEMBERS: members.join(",") }),
		cores: stage.cores,
		on: stage.cores.all,
	});
	for (const server of [first, second]) stage.spread("all", server);
	const alone = langoTarget("one", first);
	const field = {
		installation,
		one: { target: alone, servers: [first] },
		two: { target: { ...alone, name: "two", replicas: members }, servers: [first, second] },
		behind: {
			target: { ...alone, name: "two behind the round-robin", url: proxy.url },
			servers: [first, second],
			proxy,
		},
	};
	for (const { target } of [field.one, field.two, field.behind]) {
		const seeds = await signInPeople(installation, drawPeople(compared, compared.people));
		await stage.driver.prepare({ target, seeds });
	}
	return {
		...field,
		close: async () => {
			for (const running of [proxy, second, first]) await running.stop();
		},
	};
}

/** Alternates the targets. Returns the outcomes of each by run. */
async function interleave(stage: Stage, placed: readonly Placed[], load: Load): Promise<Compared[]> {
	const { runs, seconds, warmUpSeconds } = stage.options;
	const outcomes = placed.map(({ target: { name } }): Compared => ({ name, runs: [] }));
	for (const one of placed) await measure(stage, one, { load, seconds: warmUpSeconds });
	for (let run = 0; run < runs; run += 1)
		for (const [at, one] of placed.entries())
			outcomes[at]?.runs.push(await measure(stage, one, { load, seconds }));
	return outcomes;
}

type Compared = { name: string; runs: Measured[] };
type Described = { text: string; verdicts: Verdict[] };

const ceilingOf = (measured: Measured) => (availableParallelism() * 1_000) / togetherMs(measured);
const middle = (runs: readonly Measured[], read: (measured: Measured) => number) => median(runs.map(read));

function describe(flow: Flow, all: readonly Compared[]): Described {
	const [one = { name: "", runs: [] }, two = { name: "", runs: [] }] = all;
	const rows = all.map(({ name, runs }) => [
		name,
		rate(spreadOf(rates(runs))),
		times(ratios(rates(runs), rates(one.runs))),
		...(["serverMs", "databaseMs", "driverMs", "proxyMs"] as const).map((part) =>
			middle(runs, (measured) => measured[part]).toFixed(2),
		),
		middle(runs, ceilingOf).toFixed(0),
		percent(reachedOf(runs)),
		middle(runs, ({ ownCores }) => ownCores).toFixed(2),
		middle(runs, ({ otherCores }) => otherCores).toFixed(2),
		...(["p50", "p99"] as const).map((which) => ms(sumOfSteps(runs, which))),
	]);
	const head = [
		flow,
		"a second",
		"against one",
		"processor ms of the servers",
		"of PostgreSQL",
		"of the driver",
		"of the proxy",
		"ceiling a second",
		"of the ceiling",
		"cores used",
		"used by others",
		"p50 ms",
		"p99 ms",
	];
	const costs = (runs: readonly Measured[]) => runs.map(({ serverMs, databaseMs }) => serverMs + databaseMs);
	const dearer = ratios(costs(two.runs), costs(one.runs));
	const reached = reachedOf(two.runs);
	const ceiling = ratios(two.runs.map(ceilingOf), rates(one.runs));
	return {
		text: `### ${flow}

${table(head, rows)}

By the ceiling, two could do ${times(ceiling)} what one did here; they did ${times(ratios(rates(two.runs), rates(one.runs)))}. Each took ${times(dearer)} the processor time of server and PostgreSQL that it took with one.${ofOneThread(flow, one)}`,
		verdicts: [
			{
				what: `${flow}: two replicas against what the cores allow`,
				figure: percent(reached),
				target: `≥ ${reachedMin * 100} %`,
				isReached: reached.middle >= reachedMin,
				ifNot: `${middle(two.runs, ({ ownCores }) => ownCores).toFixed(2)} were busy, and ${middle(two.runs, ({ otherCores }) => otherCores).toFixed(2)} with other load; the rest of the time they waited for the disk.`,
			},
			{
				what: `${flow}: processor time of server and PostgreSQL with two replicas against one`,
				figure: times(dearer),
				target: `≤ ${dearerMax} ×`,
				isReached: dearer.middle <= dearerMax,
				ifNot: "More processes share the same cores and their caches.",
			},
		],
	};
}

const reachedOf = (runs: readonly Measured[]) => ratios(rates(runs), runs.map(ceilingOf));

/** The limit by the single JavaScript thread of a process that does nearly all its work there. */
function ofOneThread(flow: Flow, { runs }: Compared): string {
	if (flow === "sign-in")
		return " A process hashes on threads of its own, so one process takes every core already.";
	const most = 1_000 / middle(runs, ({ serverMs }) => serverMs);
	return ` A core for itself lets one process do ${most.toFixed(0)} a second at most, which a second process doubles where there are cores for both and for PostgreSQL.`;
}

/** The duration of a flow is the sum of its requests. */
function sumOfSteps(runs: readonly Measured[], which: "p50" | "p99"): number[] {
	const steps = Object.keys(runs[0]?.steps ?? {});
	const all = steps.map((step) => timesOf(runs, step, which));
	return runs.map((_, run) => all.reduce((sum, figures) => sum + (figures[run] ?? 0), 0));
}
