import { median, ratios, spreadOf } from "../figures.ts";
import { ms, percent, rate, type Section, table } from "../report.ts";
import { type Charged, openCharging } from "./charging.ts";
import type { Stage } from "./stage.ts";

/** More webhooks than come within the runs are about attempts that wait. */
const perSecondMax = 5_000;
const connections = 32;

/**
 * Measures signed webhooks of the card gateway at full load: verified, stored and answered; each is about
 * another attempt. The floor gets as many. Both apply what they have stored meanwhile.
 */
export async function measureWebhooks(stage: Stage): Promise<Section> {
	const { options } = stage;
	const seconds = options.warmUpSeconds + 1 + options.runs * (options.seconds + 1);
	const charging = await openCharging(stage, { attempts: 2 * seconds * perSecondMax });
	const servers = [await stage.startService(), await stage.startFloor("webhook-floor-process.ts")];
	for (const server of servers) await charging.send(server, { seconds: options.warmUpSeconds, connections });
	const outcomes = servers.map((): Charged[] => []);
	for (let run = 0; run < options.runs; run += 1)
		for (const [at, server] of servers.entries())
			outcomes[at]?.push(await charging.send(server, { seconds: options.seconds, connections }));
	await charging.check();
	for (const server of servers) await server.stop();
	return describe(outcomes);
}

const head = ["", "a second", "p50 ms", "p95 ms", "p99 ms", "applied a second", "own µs", "database µs"];

function describe([service = [], floor = []]: readonly Charged[][]): Section {
	const of = (outcomes: readonly Charged[], read: (one: Charged) => number) => outcomes.map(read);
	const row = (name: string, all: readonly Charged[]) => [
		...[name, rate(spreadOf(of(all, (one) => one.perSecond)))],
		...[of(all, (one) => one.p50), of(all, (one) => one.p95), of(all, (one) => one.p99)].map(ms),
		median(of(all, (one) => one.appliedPerSecond)).toFixed(0),
		...[of(all, ({ ownUs }) => ownUs), of(all, ({ databaseUs }) => databaseUs)].map((one) =>
			median(one).toFixed(0),
		),
	];
	const rates = spreadOf(of(service, (one) => one.perSecond));
	const p99 = median(of(service, (one) => one.p99));
	const ofFloor = ratios(
		of(service, (one) => one.perSecond),
		of(floor, (one) => one.perSecond),
	);
	const because =
		"The same process applies the webhooks meanwhile, on one core, and PostgreSQL shares the other one with the driver.";
	return {
		title: "Webhooks of the card gateway",
		text: [
			table(head, [row("treasury", service), row("floor", floor)]),
			"",
			`The treasury stores ${percent(ofFloor)} of the webhooks that the floor stores.`,
		].join("\n"),
		verdicts: [
			{
				...{
					what: "Webhooks verified, stored and answered a second",
					figure: rate(rates),
					target: "≥ 2,000",
				},
				...{ isReached: rates.middle >= 2_000, ifNot: because },
			},
			{
				...{ what: "p99 of a webhook at full load", figure: `${p99.toFixed(1)} ms`, target: "< 25 ms" },
				...{ isReached: p99 < 25, ifNot: because },
			},
		],
	};
}
