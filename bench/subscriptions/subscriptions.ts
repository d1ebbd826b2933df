import { median, ratios, spreadOf } from "../figures.ts";
import {
	type Facts,
	ms,
	percent,
	type Run,
	rate,
	reportBench,
	type Section,
	table,
	type Verdict,
} from "../report.ts";
import { countStatements, describeDurability } from "../sign-on/installation.store.ts";
import { printStatements } from "../sign-on/print-statements.ts";
import { measureGates } from "./gates.ts";
import { clearConsumptions, sumConsumed } from "./installation.store.ts";
import { readOptions } from "./options.ts";
import { type Measured, openStage, type Stage } from "./stage.ts";

/**
 * Measures the subscription service. After a run of all parts at full size it writes its page, otherwise it
 * only prints.
 */
export function subscriptions(words: readonly string[]): Promise<void> {
	return reportBench("subscriptions", words, (run) => measure(run, words));
}

async function measure({ add }: Run, words: readonly string[]): Promise<Facts | undefined> {
	const options = readOptions(words);
	const stage = await openStage(options);
	try {
		const durability = await describeDurability(stage.adminUrl);
		if (options.isProfiled) await countStatements(stage.adminUrl);
		for (const [part, work] of [
			["snapshot", compareSnapshots],
			["consumption", compareConsumption],
			["gates", measureGates],
		] as const)
			if (options.only.includes(part)) add(await work(stage));
		if (options.isProfiled) await printStatements(stage.adminUrl, ["bench_subscriptions"]);
		if (!options.isWhole) return undefined;
		const { isSplit, server, rest } = stage.cores;
		const cores = isSplit
			? `the measured server, its floors and the caller of the function on core ${server}, one at a time; PostgreSQL, the driver, the bus and the gates on ${rest}`
			: "not pinned";
		return {
			packages: ["fastify", "pg", "@nats-io/jetstream"],
			lines: { "database, the same for all": durability, cores },
		};
	} finally {
		await stage.close();
	}
}

type Attempt = () => Promise<Measured>;

/** Warms up each target and runs A B C A B C … Returns the outcomes by target and run. */
async function interleave(
	{ options }: Stage,
	targets: readonly Attempt[],
	warm: readonly Attempt[],
): Promise<Measured[][]> {
	for (const one of warm) await one();
	const outcomes = targets.map((): Measured[] => []);
	for (let run = 0; run < options.runs; run += 1)
		for (const [at, target] of targets.entries()) outcomes[at]?.push(await target());
	return outcomes;
}

const rates = (outcomes: readonly Measured[]) => outcomes.map(({ perSecond }) => perSecond);
const rowOf = (name: string, outcomes: readonly Measured[]) => [
	name,
	rate(spreadOf(rates(outcomes))),
	ms(outcomes.map(({ p50 }) => p50)),
	ms(outcomes.map(({ p99 }) => p99)),
	microseconds(outcomes.map(({ ownUs }) => ownUs)),
	microseconds(outcomes.map(({ databaseUs }) => databaseUs)),
];
const microseconds = (figures: readonly number[]) => median(figures).toFixed(0);
const head = ["", "a second", "p50 ms", "p99 ms", "own µs", "database µs"];

/** Requests per second of the runs without queues. */
const steadyRate = 500;

const verdictOfP99 = (what: string, p99: number): Verdict =>
	verdict(what, `${p99.toFixed(1)} ms`, { target: "< 10 ms", isReached: p99 < 10 });

/** Compares the snapshot of one tenant, and of all tenants in turn, with their floors. */
async function compareSnapshots(stage: Stage): Promise<Section> {
	const { options, service, constant, row } = stage;
	const drive = (url: string, tenants: number, seconds = options.seconds) =>
		stage.drive({ kind: "get", url, tenants, connections: options.connections, seconds });
	const snapshot = `${service}/subscription`;
	const runs = (seconds?: number): Attempt[] => [
		() => drive(snapshot, 1, seconds),
		() => drive(constant, options.tenants, seconds),
		() => drive(snapshot, options.tenants, seconds),
		() => drive(row, options.tenants, seconds),
	];
	const [held = [], still = [], read = [], bare = []] = await interleave(
		stage,
		runs(),
		runs(options.warmUpSeconds),
	);
	const ofConstant = ratios(rates(held), rates(still));
	const ofRow = ratios(rates(read), rates(bare));
	const evenly = (url: string): Attempt => {
		const load = { tenants: options.tenants, connections: options.connections, seconds: options.seconds };
		return () => stage.drive({ kind: "get", url, ...load, perSecond: steadyRate });
	};
	const [even = [], evenRow = []] = await interleave(stage, [evenly(snapshot), evenly(row)], []);
	const p99 = (outcomes: readonly Measured[]) => median(outcomes.map((one) => one.p99));
	const rows = [
		rowOf("one tenant again and again", held),
		rowOf("the same chassis and key, a constant", still),
		rowOf(`${options.tenants} tenants in turn`, read),
		rowOf("one row by its key, bare Fastify", bare),
		rowOf(`${options.tenants} tenants in turn, ${steadyRate} a second`, even),
		rowOf(`one row by its key, ${steadyRate} a second`, evenRow),
	];
	const verdicts: Verdict[] = [
		verdict("Snapshot asked for again against a constant", percent(ofConstant), {
			target: "≥ 75 %",
			isReached: ofConstant.middle >= 0.75,
		}),
		verdict("Snapshot of any tenant against a bare row", percent(ofRow), {
			target: "≥ 70 %",
			isReached: ofRow.middle >= 0.7,
		}),
		verdictOfP99(
			`p99 of a snapshot of any tenant at full load (a bare row: ${p99(bare).toFixed(1)})`,
			p99(read),
		),
		verdictOfP99(`p99 of a snapshot of any tenant, ${steadyRate} a second`, p99(even)),
	];
	return { title: "Snapshot by tenant over HTTP", text: table(head, rows), verdicts };
}

/**
 * Compares consumption over HTTP with the database function without HTTP, for one hot tenant and for many.
 */
async function compareConsumption(stage: Stage): Promise<Section> {
	const { options, service } = stage;
	const over = (tenants: number, seconds: number): Attempt[] => {
		const load = { tenants, connections: options.connections, seconds };
		return [
			() => stage.drive({ kind: "consume", url: `${service}/usage/consume`, ...load }),
			() => stage.callSql({ url: stage.appUrl, ...load, connections: options.databaseConnections }),
		];
	};
	const rows: string[][] = [];
	const verdicts: Verdict[] = [];
	for (const [name, tenants] of [
		["one hot tenant", 1],
		[`spread over ${options.spread} tenants`, options.spread],
	] as const) {
		await clearConsumptions(stage.adminUrl);
		await consumeOnce(stage, tenants);
		const [ours = [], floor = []] = await interleave(
			stage,
			over(tenants, options.seconds),
			over(tenants, options.warmUpSeconds),
		);
		await requireSums(stage);
		const ratio = ratios(rates(ours), rates(floor));
		rows.push(rowOf(`${name}, over HTTP`, ours), rowOf(`${name}, the function alone`, floor));
		verdicts.push(
			verdict(`Consumption, ${name}, against the function alone`, percent(ratio), {
				target: "≥ 70 %",
				isReached: ratio.middle >= 0.7,
			}),
		);
	}
	return { title: "Consumption", text: table(head, rows), verdicts };
}

/**
 * Lets every tenant consume once before the measurement, so that its counter exists and its terms are cached.
 */
async function consumeOnce({ options, drive, service }: Stage, tenants: number): Promise<void> {
	const load = { tenants, connections: options.connections, seconds: touchSecondsMax, settleSeconds: 0 };
	await drive({ kind: "consume", url: `${service}/usage/consume`, ...load, requests: tenants });
}
const touchSecondsMax = 300;

/** Throws an Error if the counters and the consumptions differ. */
async function requireSums({ adminUrl }: Stage): Promise<void> {
	const { counted, consumed } = await sumConsumed(adminUrl);
	if (counted !== consumed) throw new Error(`the counters have ${counted}, the consumptions ${consumed}`);
}

const verdict = (what: string, figure: string, reached: { target: string; isReached: boolean }): Verdict => ({
	what,
	figure,
	...reached,
	ifNot: "",
});
