import { median, ratios, spreadOf } from "../figures.ts";
import { rate, type Section, table, times, type Verdict } from "../report.ts";
import { removeMessages } from "./installation.store.ts";
import { limitOf, measuredHead, measuredRow } from "./measured.ts";
import type { Measured, Stage, Target } from "./stage.ts";

const rates = (outcomes: readonly Measured[]) => outcomes.map(({ perSecond }) => perSecond);
const p95 = (outcomes: readonly Measured[]) => median(outcomes.map((one) => one.p95));
/** Measures how messages to one recipient are accepted, of one tenant and of many, beside peer and floor. */
export async function measureAccepting(stage: Stage): Promise<Section> {
	const { options } = stage;
	const service = await stage.startService();
	const [peer, floor] = [await stage.startPeer(), await stage.startFloor()];
	const drive = (target: Target, tenants: number, seconds = options.seconds) =>
		stage.drive(target, { tenants, seconds, connections: options.connections });
	const all = [
		() => drive(service, 1),
		() => drive(service, options.tenants),
		() => drive(peer, 1),
		() => drive(floor, 1),
	];
	await drive(service, options.tenants, Math.max(options.warmUpSeconds, options.tenants / 100));
	for (const target of [service, peer, floor]) await drive(target, 1, options.warmUpSeconds);
	const outcomes = all.map((): Measured[] => []);
	for (let run = 0; run < options.runs; run += 1)
		for (const [at, one] of all.entries()) outcomes[at]?.push(await one());
	for (const { running } of [service, peer, floor]) await running.stop();
	await removeMessages(stage.admin);
	const [hot = [], spread = [], boss = [], bare = []] = outcomes;
	const text = [
		table(measuredHead, [
			measuredRow("one tenant", hot),
			measuredRow(`${options.tenants} tenants in turn`, spread),
			measuredRow("pg-boss: one job per request", boss),
			measuredRow("bare route, one insert", bare),
		]),
		"",
		`Against pg-boss: one tenant ${times(ratios(rates(hot), rates(boss)))}, many ${times(ratios(rates(spread), rates(boss)))}. Against one insert: ${times(ratios(rates(hot), rates(bare)))} and ${times(ratios(rates(spread), rates(bare)))}.`,
	].join("\n");
	const verdicts = [verdictOf("one tenant", hot), verdictOf(`${options.tenants} tenants`, spread)];
	return { title: "Accepting messages to one recipient", text, verdicts: verdicts.flat() };
}

function verdictOf(who: string, outcomes: readonly Measured[]): Verdict[] {
	const middle = spreadOf(rates(outcomes));
	const limit = limitOf(outcomes);
	return [
		{
			...{ what: `Accepted a second, ${who}`, figure: rate(middle), target: "> 500" },
			...{ isReached: middle.middle > 500, ifNot: limit },
		},
		{
			...{ what: `p95 of accepting, ${who}`, figure: `${p95(outcomes).toFixed(1)} ms`, target: "< 25 ms" },
			...{ isReached: p95(outcomes) < 25, ifNot: limit },
		},
	];
}

/** Measures requests to 1,000 recipients each. */
export async function measureManyRecipients(stage: Stage): Promise<Section> {
	const service = await stage.startService();
	const load = { tenants: 1, recipients: 1_000, connections: 1, seconds: 60 };
	await stage.drive(service, { ...load, requests: 3, settleSeconds: 0 });
	const outcome = await stage.drive(service, { ...load, requests: 5 * stage.options.runs, settleSeconds: 0 });
	await service.running.stop();
	await removeMessages(stage.admin);
	const verdicts = [
		{
			...{ what: "p95 of a request to 1,000 recipients", figure: `${outcome.p95.toFixed(0)} ms` },
			...{ target: "< 300 ms", isReached: outcome.p95 < 300, ifNot: "" },
		},
	];
	return {
		title: "One request to 1,000 recipients",
		text: table(measuredHead, [measuredRow("one tenant", [outcome])]),
		verdicts,
	};
}
