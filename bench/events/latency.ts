import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { recordEvent, startRelay, type Transport } from "@lango/events";
import { quantile, spreadOf } from "../figures.ts";
import { rate, type Section, table } from "../report.ts";
import { stopChild } from "../sign-on/processes.ts";
import { type EventDatabase, emptyGround, listEffects, recordThing } from "./event-database.store.ts";
import type { Options } from "./options.ts";
import { thingMade } from "./thing-made.ts";

const perSecond = 500;
const targetMs = 100;
const settleSeconds = 1;
const waitMsMax = 30_000;

type Ends = { producer: EventDatabase; consumer: EventDatabase; transport: Transport; busUrl: string };

/**
 * Measures the time from a commit in one service to the effect in another process with its own database, at
 * 500 events per second.
 */
export async function measureLatency(ends: Ends, { runs, seconds, subjects }: Options): Promise<Section> {
	const { producer, consumer, transport, busUrl } = ends;
	await emptyGround(producer.db);
	const program = join(import.meta.dirname, "consumer-process.ts");
	const child = spawn(process.execPath, [program, consumer.url, busUrl], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	const onError = (error: unknown) => console.error(error);
	const relay = startRelay({ db: producer.db, transport, now: () => new Date(), onError });
	const [p50, p99] = [[] as number[], [] as number[]];
	try {
		if (child.stdout === null) throw new Error("the consumer has no output");
		await once(child.stdout, "data");
		for (let run = 0; run < runs; run += 1) {
			const times = await drive({ producer, consumer }, { seconds, subjects, run });
			p50.push(quantile(times, 0.5));
			p99.push(quantile(times, 0.99));
		}
	} finally {
		await relay.stop();
		await stopChild(child);
	}
	const spread = spreadOf(p99);
	return {
		title: "Latency",
		text: `Milliseconds from the commit to the effect (just before its own commit), ${perSecond} per second.\n\n${table(
			["p50", "p99"],
			[[rate(spreadOf(p50)), rate(spread)]],
		)}`,
		verdicts: [
			{
				what: "commit to effect at 500 a second, p99 in ms",
				figure: rate(spread),
				target: `under ${targetMs}`,
				isReached: spread.middle < targetMs,
				ifNot:
					"On two cores, which both processes, PostgreSQL and the bus share, most of it is waiting for a core.",
			},
		],
	};
}

async function drive(
	{ producer, consumer }: Pick<Ends, "producer" | "consumer">,
	{ seconds, subjects, run }: { seconds: number; subjects: number; run: number },
): Promise<number[]> {
	await consumer.db.query("delete from effects");
	const committedAt = new Map<number, number>();
	const count = perSecond * (seconds + settleSeconds);
	const startedAt = performance.now();
	const inFlight: Promise<void>[] = [];
	const first = run * count;
	for (let n = first + 1; n <= first + count; n += 1) {
		const wait = startedAt + ((n - first) * 1_000) / perSecond - performance.now();
		if (wait > 1) await sleep(wait);
		const subject = `s${n % subjects}`;
		const committed = producer.db
			.transaction(async (tx) => {
				await recordThing(tx, subject);
				await recordEvent(tx, thingMade, { subject, now: new Date(), data: { n, note: "x".repeat(200) } });
			})
			.then(() => void committedAt.set(n, Date.now()));
		// Its error is thrown below, after all transactions have started.
		committed.catch(() => undefined);
		inFlight.push(committed);
	}
	await Promise.all(inFlight);
	const endAt = performance.now() + waitMsMax;
	let effects = await listEffects(consumer.db);
	while (effects.length < count) {
		if (performance.now() > endAt) throw new Error(`${count - effects.length} events had no effect in time`);
		await sleep(100);
		effects = await listEffects(consumer.db);
	}
	return effects
		.filter(({ n }) => n > first + perSecond * settleSeconds)
		.map(({ n, at }) => Math.max(at - (committedAt.get(n) ?? at), 0));
}
