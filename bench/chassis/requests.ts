import { median, quartilesOf, quartilesOfRatios } from "../figures.ts";
import { ms, percent, rate, type Section, table, times, type Verdict } from "../report.ts";
import type { Measured, Stage, Target } from "./stage.ts";

/** The chassis and bare Fastify come before the peers in the results. */
const ownTargets = 6;

type Servers = Record<"ours" | "bare" | "limited" | "bareLimited" | "hooked" | "lookingUp", Target>;

const rates = (outcomes: readonly Measured[]) => outcomes.map(({ perSecond }) => perSecond);
const processor = (outcomes: readonly Measured[]) => outcomes.map(({ serverUs }) => serverUs);

/**
 * Compares the pipeline with bare Fastify, with and without the limiter, and with two peers that only check
 * tokens. Nothing is logged.
 */
export async function comparePipeline(stage: Stage): Promise<Section> {
	const servers = await startPairs(stage, { isObserved: false });
	const peers = [
		await stage.startOther({ name: "@fastify/jwt", program: "fastify-jwt-process.ts" }),
		await stage.startOther({
			name: "@fastify/jwt with cached tokens",
			program: "fastify-jwt-process.ts",
			environment: { CACHED: "yes" },
		}),
		await stage.startOther({ name: "express-oauth2-jwt-bearer", program: "express-process.ts" }),
	];
	const targets = [...Object.values(servers), ...peers];
	const all = await interleave(stage, targets);
	await stop(targets);
	const [ours = []] = all;
	const verdicts = [
		...costVerdicts(all, ""),
		...peers.map(({ name }, at): Verdict => {
			const ahead = quartilesOfRatios(rates(ours), rates(all[at + ownTargets] ?? []));
			return {
				what: `Against ${name}`,
				figure: times(ahead),
				target: "> 1 ×",
				isReached: ahead.middle > 1,
				ifNot: "",
			};
		}),
	];
	return { title: "The pipeline, nothing logged", text: describe(targets, all), verdicts };
}

/** The same comparison with a log line and a measured duration per request on both sides. */
export async function compareObserved(stage: Stage): Promise<Section> {
	const targets = Object.values(await startPairs(stage, { isObserved: true }));
	const all = await interleave(stage, targets);
	await stop(targets);
	return {
		title: "The pipeline, each request logged and measured",
		text: describe(targets, all),
		verdicts: costVerdicts(all, ", logged and measured"),
	};
}

async function startPairs(stage: Stage, { isObserved }: { isObserved: boolean }): Promise<Servers> {
	const ours = await stage.startDomain({ isLimited: false, isObserved });
	const limited = await stage.startDomain({ isLimited: true, isObserved });
	const startBare = async (like: Target, { has = "", ...more }: Record<string, string> = {}) =>
		stage.startOther({
			name: `bare Fastify${has}, the headers of ${like.name}`,
			program: "bare-process.ts",
			environment: {
				HEADERS: await stage.headersOf(like),
				OBSERVED: isObserved ? "yes" : "no",
				...more,
			},
			isObserved,
		});
	return {
		ours,
		bare: await startBare(ours),
		limited,
		bareLimited: await startBare(limited),
		hooked: await startBare(ours, {
			has: " with a logger, a request context and empty hooks",
			HOOKED: "yes",
		}),
		lookingUp: await startBare(ours, {
			has: " with these and the look-ups",
			HOOKED: "yes",
			LOOKS_UP: "yes",
		}),
	};
}

/**
 * Measures all targets in short consecutive slices, alternately forwards and backwards, so that other load of
 * the machine affects all of them. Returns the outcomes by target and round.
 */
async function interleave(stage: Stage, targets: readonly Target[]): Promise<Measured[][]> {
	const { rounds, warmUpSeconds } = stage.options;
	for (const target of targets) await stage.drive(target, { seconds: warmUpSeconds, settleSeconds: 0 });
	const outcomes = targets.map((): Measured[] => []);
	const order = [...targets.entries()];
	for (let round = 0; round < rounds; round += 1)
		for (const [at, target] of round % 2 === 0 ? order : order.toReversed())
			outcomes[at]?.push(await stage.drive(target, slice));
	return outcomes;
}

/** A slice is long enough for thousands of requests. */
const slice = { seconds: 0.5, settleSeconds: 0.1 };

async function stop(targets: readonly Target[]): Promise<void> {
	for (const { running } of targets) await running.stop();
}

function costVerdicts(all: readonly Measured[][], how: string): Verdict[] {
	const [ours = [], bare = [], limited = [], bareLimited = [], hooked = [], lookingUp = []] = all;
	const ofBare = (floor: Measured[]) => percent(quartilesOfRatios(rates(floor), rates(bare)));
	const emptyHooks = `Fastify with the basis of any pipeline (a logger per request, a request context, three empty hooks) reaches ${ofBare(hooked)} of bare Fastify, and with the unavoidable look-ups, simplified and unverified, ${ofBare(lookingUp)}.`;
	const verdict = (what: string, [own, floor]: readonly Measured[][], least: number): Verdict => {
		const ratio = quartilesOfRatios(rates(own ?? []), rates(floor ?? []));
		const more = quartilesOfRatios(processor(own ?? []), processor(floor ?? []));
		return {
			what: `${what}${how}, against bare Fastify`,
			figure: percent(ratio),
			target: `≥ ${least * 100} %`,
			isReached: ratio.middle >= least,
			ifNot: `A request takes ${times(more)} the processor time of the bare one. ${emptyHooks}`,
		};
	};
	return [
		verdict("Without the limiter", [ours, bare], 0.9),
		verdict("With the limiter", [limited, bareLimited], 0.8),
	];
}

function describe(targets: readonly Target[], all: readonly Measured[][]): string {
	const rows = targets.map(({ name }, at) => {
		const outcomes = all[at] ?? [];
		return [
			name,
			rate(quartilesOf(rates(outcomes))),
			median(processor(outcomes)).toFixed(1),
			ms(outcomes.map(({ p50 }) => p50)),
			ms(outcomes.map(({ p99 }) => p99)),
		];
	});
	return table(["", "a second", "processor µs a request", "p50 ms", "p99 ms"], rows);
}
