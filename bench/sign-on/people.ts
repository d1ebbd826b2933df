import { ratios, type Spread } from "../figures.ts";
import { ms, type Section, table } from "../report.ts";
import { type Flow, flows, type Target } from "./flows.ts";
import { requireSessionsBelowLimit } from "./installation.store.ts";
import { interleave, timesOf, warmUp } from "./interleave.ts";
import type { Load, Outcome } from "./load.ts";
import { drawPeople, type Installation, langoTarget, type Stage, signInPeople } from "./stage.ts";

const slowdownMax = 0.2;
const drawn = 10_000;
/** So many that all subscriptions are cached, and that no person gets near the limit of sessions. */
const fewTenants = 100;
/** The order matters: the code flow obtains the tokens of the others. */
const kinds: readonly Flow[] = ["code flow", "refresh", "me", "userinfo", "tenant", "sign-in"];

type Slowdown = { step: string; outcomes: Outcome[][]; all: Spread; few: Spread };

/**
 * Compares every kind of request on a small and a large installation, with people of all tenants and of a
 * hundred. Each person stays below the limit of sessions: at the limit each code flow also ends a session.
 */
export async function comparePeople(stage: Stage): Promise<Section> {
	const { options } = stage;
	const large = await stage.install("bench_large", { people: options.people, tenants: options.tenants });
	const [atSmall, atLarge] = [await stage.startLango(stage.small), await stage.startLango(large)];
	const targets = [
		langoTarget("small", atSmall),
		langoTarget("large", atLarge),
		langoTarget("large, few tenants", atLarge),
	];
	const people = [
		drawPeople(stage.small.size, drawn),
		drawPeople(large.size, drawn),
		repeat(peopleOfFewTenants(large), drawn),
	];
	for (const [at, target] of targets.entries()) {
		const seeds = await signInPeople(at === 0 ? stage.small : large, people[at] ?? []);
		await stage.driver.prepare({ target, seeds });
	}
	const slowdowns: Slowdown[] = [];
	for (const flow of kinds) slowdowns.push(...(await compare(stage, targets, flow)));
	for (const { adminUrl } of [stage.small, large]) await requireSessionsBelowLimit(adminUrl);
	await atSmall.stop();
	await atLarge.stop();
	return describe(stage, large, slowdowns);
}

async function compare(stage: Stage, targets: readonly Target[], flow: Flow): Promise<Slowdown[]> {
	const { driver, options } = stage;
	const load: Load = { flow, connections: Math.max(1, Math.floor(options.connections / 2)) };
	const seconds = Math.max(1, Math.round(options.seconds / 2));
	await warmUp(driver, targets, { load, seconds: options.warmUpSeconds });
	const outcomes = await interleave(stage, targets, { load, runs: options.runs, seconds });
	const [small = [], all = [], few = []] = outcomes;
	return Object.keys(flows[flow]).map((step) => {
		const times = (of: Outcome[]) => timesOf(of, step, "mean");
		return { step, outcomes, all: ratios(times(all), times(small)), few: ratios(times(few), times(small)) };
	});
}

function describe({ options, small }: Stage, large: Installation, slowdowns: readonly Slowdown[]): Section {
	const size = ({ size: { people, tenants } }: Installation) =>
		`${people.toLocaleString("en")} people in ${tenants.toLocaleString("en")} tenants`;
	const slower = ({ middle, least, most }: Spread) => {
		const [mid, low, high] = [middle, least, most].map(
			(one) => `${one < 1 ? "−" : "+"}${Math.abs(Math.round((one - 1) * 100))}`,
		);
		return `${mid} % (${low} to ${high})`;
	};
	const rows = slowdowns.map(({ step, outcomes: [ofSmall = [], ofLarge = []], all, few }) => [
		step,
		`${ms(timesOf(ofSmall, step, "mean"))} / ${ms(timesOf(ofSmall, step, "p99"))}`,
		`${ms(timesOf(ofLarge, step, "mean"))} / ${ms(timesOf(ofLarge, step, "p99"))}`,
		slower(all),
		slower(few),
	]);
	const head = [
		"",
		`${size(small)}: mean / p99 ms`,
		`${size(large)}: mean / p99 ms`,
		"slower",
		`slower, people of ${fewTenants} tenants only`,
	];
	return {
		title: "More people and tenants",
		text: `${table(head, rows)}

The large installation takes ${large.fill.megabytes.toLocaleString("en")} MB and was filled by SQL in ${Math.round(large.fill.seconds)} s (the small one in ${small.fill.seconds.toFixed(1)} s). ${drawn.toLocaleString("en")} people, selected evenly, are signed in at each and send requests in turn. In the large installation nearly every request is therefore of a tenant whose subscription is not cached and must be requested. The last column excludes this: the same large database, but all people belong to ${fewTenants} of its tenants. ${Math.max(1, Math.floor(options.connections / 2))} requests in flight, runs of ${Math.max(1, Math.round(options.seconds / 2))} s.`,
		verdicts: slowdowns.map(({ step, all, few }) => ({
			what: `Slowdown of ${step} by ${size(large)}`,
			figure: slower(all),
			target: "≤ 20 %",
			isReached: all.middle <= 1 + slowdownMax,
			ifNot: `With people of ${fewTenants} of its tenants only it is ${slower(few)}.`,
		})),
	};
}

/** The tenant of a person is the remainder of their number. */
function peopleOfFewTenants({ size: { people, tenants } }: Installation): number[] {
	const all = Array.from(
		{ length: fewTenants * Math.ceil(people / tenants) },
		(_, at) => Math.floor(at / fewTenants) * tenants + (at % fewTenants) + 1,
	);
	return all.filter((person) => person <= people);
}

const repeat = (people: readonly number[], count: number): number[] =>
	Array.from({ length: count }, (_, at) => people[at % people.length] ?? 1);
