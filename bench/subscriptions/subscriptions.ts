import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, ratios, spreadOf } from "../figures.ts";
import { describeMachine, loadNow, quietLoad, versionOf } from "../machine.ts";
import { countStatements } from "../sign-on/installation.store.ts";
import { printStatements } from "../sign-on/print-statements.ts";
import { ms, percent, rate, type Section, table, type Verdict, verdictTable } from "../sign-on/report.ts";
import { measureGates } from "./gates.ts";
import { clearConsumptions, describeDurability, sumConsumed } from "./installation.store.ts";
import { parts, readOptions } from "./options.ts";
import { type Measured, openStage, type Stage } from "./stage.ts";

const page = join(import.meta.dirname, "../../docs/generated/bench-subscriptions.md");

/** The bench of the subscription service. Writes its page when every part was run at full size; else it only prints. */
export async function subscriptions(words: readonly string[]): Promise<void> {
	const options = readOptions(words);
	const load = loadNow();
	if (load >= quietLoad)
		console.log(`The machine is not quiet (load ${load.toFixed(2)}): the figures will not be final.`);
	process.once("SIGINT", () => process.exit(130));
	const date = new Date();
	const stage = await openStage(options);
	try {
		const durability = await describeDurability(stage.adminUrl);
		const sections: Section[] = [];
		if (options.isProfiled) await countStatements(stage.adminUrl);
		for (const [part, work] of [
			["snapshot", compareSnapshots],
			["consumption", compareConsumption],
			["gates", measureGates],
		] as const) {
			if (!options.only.includes(part)) continue;
			const section = await work(stage);
			console.log(`\n## ${section.title}\n\n${section.text}`);
			sections.push(section);
		}
		console.log(`\n${verdictTable(sections)}\n`);
		if (options.isProfiled) await printStatements(stage.adminUrl, ["bench_subscriptions"]);
		if (options.isProfiled || options.only.length < Object.keys(parts).length || words.includes("--look"))
			return;
		const command = ["npm run bench -- subscriptions", ...words].join(" ");
		const noise =
			load < quietLoad
				? ""
				: `\n**The machine was not quiet** (load ${load.toFixed(2)} before the start): these figures are not final.\n`;
		writeFileSync(page, render({ command, date, durability, noise, stage, sections }));
		console.log("Wrote docs/generated/bench-subscriptions.md");
	} finally {
		await stage.close();
	}
}

type Run = () => Promise<Measured>;

/** Runs A B C A B C …, each warmed up before: outcomes by target, run by run. */
async function interleave(
	{ options }: Stage,
	targets: readonly Run[],
	warm: readonly Run[],
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

/** Requests a second of the runs in which nobody waits for a turn. */
const steadyRate = 500;

const verdictOfP99 = (what: string, p99: number): Verdict =>
	verdict(what, `${p99.toFixed(1)} ms`, { target: "< 10 ms", isReached: p99 < 10 });

/** The snapshot by tenant: of one tenant asked for again and again, and of all in turn, beside their floors. */
async function compareSnapshots(stage: Stage): Promise<Section> {
	const { options, service, constant, row } = stage;
	const drive = (url: string, tenants: number, seconds = options.seconds) =>
		stage.drive({ kind: "get", url, tenants, connections: options.connections, seconds });
	const snapshot = `${service}/subscription`;
	const runs = (seconds?: number): Run[] => [
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
	const evenly = (url: string): Run => {
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

/** Consumption over HTTP beside the same function of the database called without it: one hot tenant, and spread. */
async function compareConsumption(stage: Stage): Promise<Section> {
	const { options, service } = stage;
	const over = (tenants: number, seconds: number): Run[] => {
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

/** Every tenant has consumed before anything is measured: its counter is there, and the service has read its terms. */
async function consumeOnce({ options, drive, service }: Stage, tenants: number): Promise<void> {
	const load = { tenants, connections: options.connections, seconds: touchSecondsMax, settleSeconds: 0 };
	await drive({ kind: "consume", url: `${service}/usage/consume`, ...load, requests: tenants });
}
const touchSecondsMax = 300;

/** Refuses figures of a count that does not add up. */
async function requireSums({ adminUrl }: Stage): Promise<void> {
	const { counted, consumed } = await sumConsumed(adminUrl);
	if (counted !== consumed) throw new Error(`the counters say ${counted}, the consumptions ${consumed}`);
}

const verdict = (what: string, figure: string, reached: { target: string; isReached: boolean }): Verdict => ({
	what,
	figure,
	...reached,
	ifNot: "",
});

type Page = {
	command: string;
	date: Date;
	durability: string;
	noise: string;
	stage: Stage;
	sections: readonly Section[];
};

function render({ command, date, durability, noise, stage, sections }: Page): string {
	const { cores } = stage;
	const placing = cores.isSplit
		? `the measured server, its floors and the caller of the function on core ${cores.server}, one at a time; PostgreSQL, the driver, the bus and the gates on ${cores.rest}`
		: "not pinned";
	const packages = ["fastify", "pg", "@nats-io/jetstream"].map((name) => `${name} ${versionOf(name)}`);
	return `<!-- Written by \`npm run bench -- subscriptions\`; never edited. It holds measurements and does not follow from the code. -->

# Bench: subscriptions

What is compared and how to read it: [bench/README.md](../../bench/README.md).
${noise}
- command: \`${command}\`
- date: ${date.toISOString().slice(0, 16).replace("T", " ")} UTC
- machine: ${describeMachine()}
- versions: ${[`Node ${process.versions.node}`, "PostgreSQL 18", ...packages].join(", ")}
- database, the same for all: ${durability}
- cores: ${placing}

## What was to be reached

${verdictTable(sections)}

${sections.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n")}
`;
}
