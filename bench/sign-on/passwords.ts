import { median, ratios, type Spread, spreadOf } from "../figures.ts";
import { ms, percent, rate, type Section, table } from "../report.ts";
import { startWorker } from "./driver.ts";
import { settleSeconds, timesOf } from "./interleave.ts";
import type { Load, Outcome } from "./load.ts";
import { stopChild } from "./processes.ts";
import type { Field } from "./side-by-side.ts";
import type { Stage } from "./stage.ts";

/** Concurrent hashes: the default of the sign-on service, and the same for argon2id alone. */
const atOnce = 2;
const refreshesPerSecond = 20;
const loads: readonly Load[] = [
	{ flow: "sign-in", connections: 8 },
	{ flow: "refresh", perSecond: refreshesPerSecond },
];

/**
 * Compares sign-ins by password, with refreshes in parallel, with argon2id alone; all processes use every
 * core.
 */
export async function comparePasswords(stage: Stage, { lango, targets }: Field): Promise<Section> {
	const { driver, cores, options } = stage;
	const [target] = targets;
	const { seconds } = options;
	const argon2 = startWorker("argon2-process.ts", cores, cores.all);
	stage.spread("all", lango);
	const alone: number[] = [];
	const signIns: Outcome[] = [];
	const refreshes: Outcome[] = [];
	try {
		await driver.drive({ target, loads, seconds: options.warmUpSeconds, settleSeconds: 0 });
		for (let run = 0; run < options.runs; run += 1) {
			alone.push((await argon2.ask<{ perSecond: number }>({ seconds, atOnce })).perSecond);
			const [signIn, refresh] = await driver.drive({ target, loads, seconds, settleSeconds });
			if (signIn === undefined || refresh === undefined) throw new Error("a stream has no outcome");
			signIns.push(signIn);
			refreshes.push(refresh);
		}
	} finally {
		await stopChild(argon2.child);
		stage.spread("split", lango);
	}
	return describe({ alone, signIns, refreshes });
}

type Measured = { alone: readonly number[]; signIns: readonly Outcome[]; refreshes: readonly Outcome[] };

function describe({ alone, signIns, refreshes }: Measured): Section {
	const rates = signIns.map(({ perSecond }) => perSecond);
	const share = ratios(rates, alone);
	const slowest: Spread = spreadOf(timesOf(refreshes, "refresh", "p99"));
	const rows = [
		["argon2id alone", rate(spreadOf(alone)), "", ""],
		[
			"sign-ins",
			rate(spreadOf(rates)),
			ms(timesOf(signIns, "sign-in", "p50")),
			ms(timesOf(signIns, "sign-in", "p99")),
		],
		[
			`parallel refreshes, ${refreshesPerSecond} due per second`,
			rate(spreadOf(refreshes.map(({ perSecond }) => perSecond))),
			ms(timesOf(refreshes, "refresh", "p50")),
			ms(timesOf(refreshes, "refresh", "p99")),
		],
	];
	const lost = 1_000 / median(rates) - 1_000 / median(alone);
	return {
		title: "Sign-ins by password",
		text: `${table(["", "a second", "p50 ms", "p99 ms"], rows)}

${atOnce} concurrent hashes in both; 8 sign-ins in flight, so that some always wait. The duration of a refresh starts when it was due.`,
		verdicts: [
			{
				what: "Password sign-ins against argon2id alone",
				figure: percent(share),
				target: "≥ 80 %",
				isReached: share.middle >= 0.8,
				ifNot: `A sign-in takes the whole machine ${lost.toFixed(1)} ms longer than its hash alone: for the driver, PostgreSQL, two signatures and the parallel refreshes.`,
			},
			{
				what: "p99 of refreshes during sign-ins",
				figure: `${slowest.middle.toFixed(1)} ms (${slowest.least.toFixed(1)}–${slowest.most.toFixed(1)})`,
				target: "< 50 ms",
				isReached: slowest.middle < 50,
				ifNot: "Sign-ins, refreshes, PostgreSQL and the driver share every core in this part.",
			},
		],
	};
}
