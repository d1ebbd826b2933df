import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { median, quantile, ratios } from "../figures.ts";
import { ms, type Section, table, times } from "../report.ts";
import type { Running } from "../sign-on/processes.ts";
import { ordinalOf } from "./charge.ts";
import { announceReceipts, postedChannel } from "./charges.store.ts";
import { type Charging, openCharging } from "./charging.ts";
import type { Stage } from "./stage.ts";

const targetMs = 250;
const connections = 8;
/** The longest wait for an announcement whose commit was seen already. */
const announcedMsMax = 5_000;

type Outcome = { p50: number; p95: number; p99: number };

/**
 * Measures from the sending of a webhook to the commit of its journal, at a steady rate. The floor posts as
 * soon as it has stored.
 */
export async function measurePosted(stage: Stage): Promise<Section> {
	const { options, admin, adminUrl } = stage;
	const seconds = options.warmUpSeconds + 2 + options.runs * (options.seconds + 2);
	const charging = await openCharging(stage, { attempts: 2 * seconds * options.perSecond });
	await announceReceipts(admin);
	const posted = await listen(adminUrl);
	try {
		const servers = [await stage.startService(), await stage.startFloor("webhook-floor-process.ts")];
		const run = (server: Running, lasting: number) => measure(stage, { charging, posted, server, lasting });
		for (const server of servers) await run(server, options.warmUpSeconds);
		const outcomes = servers.map((): Outcome[] => []);
		for (let n = 0; n < options.runs; n += 1)
			for (const [at, server] of servers.entries()) outcomes[at]?.push(await run(server, options.seconds));
		await charging.check();
		for (const server of servers) await server.stop();
		return describe(outcomes, options.perSecond);
	} finally {
		await posted.close();
	}
}

/** When each attempt was announced, by its ordinal, in Unix milliseconds. */
type Posted = { at: ReadonlyMap<number, number>; close(): Promise<void> };

async function listen(url: string): Promise<Posted> {
	const client = new pg.Client({ connectionString: url });
	const at = new Map<number, number>();
	client.on("notification", ({ payload = "" }) => at.set(ordinalOf(payload), Date.now()));
	await client.connect();
	await client.query(`listen ${postedChannel}`);
	return { at, close: () => client.end() };
}

type Measuring = { charging: Charging; posted: Posted; server: Running; lasting: number };

async function measure(
	{ options: { perSecond } }: Stage,
	{ charging, posted, server, lasting }: Measuring,
): Promise<Outcome> {
	const how = { seconds: lasting, connections, perSecond };
	const { from, sentAt } = await charging.send(server, how);
	// The first second is not counted.
	const counted = sentAt.slice(perSecond).map((sent, n) => ({ sent, attempt: from + perSecond + n }));
	const took: number[] = [];
	for (const { sent, attempt } of counted) took.push((await untilPosted(posted, attempt)) - sent);
	return { p50: quantile(took, 0.5), p95: quantile(took, 0.95), p99: quantile(took, 0.99) };
}

/**
 * When an attempt was announced. An announcement arrives a little after its commit, which another connection
 * sees at once. Throws an Error if none arrives.
 */
async function untilPosted({ at }: Posted, attempt: number): Promise<number> {
	for (const ends = performance.now() + announcedMsMax; ; await sleep(10)) {
		const announced = at.get(attempt);
		if (announced !== undefined) return announced;
		if (performance.now() > ends) throw new Error(`attempt ${attempt} was not announced`);
	}
}

function describe([service = [], floor = []]: readonly Outcome[][], perSecond: number): Section {
	const row = (name: string, all: readonly Outcome[]) => [
		name,
		...[all.map(({ p50 }) => p50), all.map(({ p95 }) => p95), all.map(({ p99 }) => p99)].map(ms),
	];
	const p95 = median(service.map((one) => one.p95));
	const ofFloor = ratios(
		service.map((one) => one.p95),
		floor.map((one) => one.p95),
	);
	return {
		title: `From a webhook to its journal, at ${perSecond} a second`,
		text: [
			table(["", "p50 ms", "p95 ms", "p99 ms"], [row("treasury", service), row("floor", floor)]),
			"",
			`The p95 of the treasury is ${times(ofFloor)} that of the floor.`,
		].join("\n"),
		verdicts: [
			{
				...{ what: "p95 from a webhook to its journal", figure: `${p95.toFixed(1)} ms` },
				...{ target: `< ${targetMs} ms`, isReached: p95 < targetMs },
				ifNot: "The target is for eight cores.",
			},
		],
	};
}
