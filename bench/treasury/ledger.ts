import { median, ratios, spreadOf } from "../figures.ts";
import { ms, rate, type Section, table, times, type Verdict } from "../report.ts";
import { readLedger, spreadAccounts } from "./floor.store.ts";
import type { Measured, Stage, Workers } from "./stage.ts";

const targets = { spread: 3_000, hot: 1_000 };
const rates = (outcomes: readonly Measured[]) => outcomes.map(({ perSecond }) => perSecond);
const head = ["", "journals a second", "p50 ms", "p95 ms", "database µs"];
const row = (name: string, outcomes: readonly Measured[]) => [
	name,
	rate(spreadOf(rates(outcomes))),
	...[outcomes.map(({ p50 }) => p50), outcomes.map(({ p95 }) => p95)].map(ms),
	median(outcomes.map(({ databaseUs }) => databaseUs)).toFixed(0),
];

/**
 * Measures how many card collections, a journal of five postings in a transaction of its own, are posted a
 * second: of many tenants in turn, and of one tenant whose accounts have eight shards. Beside each is its
 * floor.
 */
export async function measureLedger(stage: Stage): Promise<Section> {
	const { options, admin, appUrl, adminUrl, tenants } = stage;
	const [hot = ""] = tenants;
	const ledger = stage.startWorkers("services/treasury/test/ledger/posting-process.ts", appUrl);
	const floors = ["1", "8"].map((shards) =>
		stage.startWorkers("bench/treasury/floor-process.ts", adminUrl, [shards]),
	);
	await openAccounts(stage, ledger, tenants);
	await spreadAccounts(admin, hot);
	const outcomes = await runInTurn(stage, [
		{ workers: ledger, tenants },
		{ workers: floors[0] ?? ledger, tenants },
		{ workers: ledger, tenants: [hot] },
		{ workers: floors[1] ?? ledger, tenants: [hot] },
	]);
	for (const workers of [ledger, ...floors]) await workers.stop();
	const { total, journals } = await readLedger(admin);
	if (total !== 0) throw new Error(`the balances of ${journals} journals add up to ${total}`);
	return describe(outcomes, options.tenants);
}

/** Posts to every tenant at least once, so that no measured journal opens accounts. */
async function openAccounts(stage: Stage, ledger: Workers, tenants: readonly string[]): Promise<void> {
	for (let opened = 0; opened < tenants.length; ) {
		await ledger.run({ tenants, seconds: stage.options.warmUpSeconds });
		const { journals } = await readLedger(stage.admin);
		// Each process posts to all tenants in turn.
		opened = journals / stage.options.processes;
	}
}

type Target = { workers: Workers; tenants: readonly string[] };

async function runInTurn({ options }: Stage, all: readonly Target[]): Promise<Measured[][]> {
	for (const { workers, tenants } of all) await workers.run({ tenants, seconds: options.warmUpSeconds });
	const outcomes = all.map((): Measured[] => []);
	for (let run = 0; run < options.runs; run += 1)
		for (const [at, { workers, tenants }] of all.entries())
			outcomes[at]?.push(await workers.run({ tenants, seconds: options.seconds }));
	return outcomes;
}

function describe(outcomes: readonly Measured[][], tenants: number): Section {
	const [spread = [], spreadFloor = [], hot = [], hotFloor = []] = outcomes;
	const text = [
		table(head, [
			row(`${tenants} tenants in turn`, spread),
			row("the same rows by a plain function", spreadFloor),
			row("one tenant, its accounts with eight shards", hot),
			row("the same rows by a plain function", hotFloor),
		]),
		"",
		`Against the floor: many tenants ${times(ratios(rates(spread), rates(spreadFloor)))}, one tenant ${times(ratios(rates(hot), rates(hotFloor)))}.`,
	].join("\n");
	const verdicts = [
		verdictOf("many tenants", spread, targets.spread),
		verdictOf("one tenant", hot, targets.hot),
	];
	return { title: "Ledger", text, verdicts };
}

function verdictOf(who: string, outcomes: readonly Measured[], target: number): Verdict {
	const middle = spreadOf(rates(outcomes));
	return {
		...{ what: `Journals a second, ${who}`, figure: rate(middle), target: `≥ ${target}` },
		...{ isReached: middle.middle >= target, ifNot: "The target is for eight cores." },
	};
}
