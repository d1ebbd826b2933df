import { setTimeout as sleep } from "node:timers/promises";
import { startRelay, type Transport } from "@lango/events";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { ratios, spreadOf } from "../figures.ts";
import { percent, rate, type Section, table } from "../report.ts";
import { countUnpublished, type EventDatabase, fillOutbox } from "./event-database.store.ts";
import type { Options } from "./options.ts";

const target = 5_000;
const atOnce = 256;

/**
 * Measures the events per second that one relay moves from the outbox to the bus, and as many plain
 * publications of the same size.
 */
export async function compareRelay(
	{ db, transport, busUrl }: { db: EventDatabase["db"]; transport: Transport; busUrl: string },
	{ runs, events, subjects }: Options,
): Promise<Section> {
	const publish = await plainPublisher(busUrl);
	const ours: number[] = [];
	const floor: number[] = [];
	await publish.run(events);
	await relayAll({ db, transport }, { events, subjects });
	for (let run = 0; run < runs; run += 1) {
		ours.push(await relayAll({ db, transport }, { events, subjects }));
		floor.push(await publish.run(events));
	}
	await publish.close();
	const spread = spreadOf(ours);
	return {
		title: "Relay",
		text: table(
			["what", "events a second"],
			[
				["relay: outbox read, published, acknowledged, marked", rate(spread)],
				["floor: plain JetStream publishes, acknowledged", rate(spreadOf(floor))],
				["relay ÷ floor", percent(ratios(ours, floor))],
			],
		),
		verdicts: [
			{
				what: "relay, events a second",
				figure: rate(spread),
				target: `${target}`,
				isReached: spread.middle >= target,
				ifNot: "The floor shows the maximum of the bus on this machine.",
			},
		],
	};
}

async function relayAll(
	{ db, transport }: { db: EventDatabase["db"]; transport: Transport },
	{ events, subjects }: { events: number; subjects: number },
): Promise<number> {
	await fillOutbox(db, { count: events, subjects });
	const startedAt = performance.now();
	const onError = (error: unknown) => console.error(error);
	const relay = startRelay({ db, transport, now: () => new Date(), onError });
	while ((await countUnpublished(db)) > 0) await sleep(20);
	const perSecond = (events * 1_000) / (performance.now() - startedAt);
	await relay.stop();
	return perSecond;
}

/** The floor: plain publications, with as many in flight as the relay has, each acknowledged. */
async function plainPublisher(url: string) {
	const nc = await connect({ servers: new URL(url).host, noAsyncTraces: true });
	const js = jetstream(nc);
	const jsm = await jetstreamManager(nc);
	await jsm.streams.add({ name: "FLOOR", subjects: ["floor.>"], storage: "file", max_bytes: 256 * 2 ** 20 });
	const bytes = Buffer.alloc(500, "x");
	return {
		async run(events: number): Promise<number> {
			const startedAt = performance.now();
			let left = events;
			const lane = async () => {
				for (; left > 0; ) {
					left -= 1;
					await js.publish("floor.made", bytes, { msgID: crypto.randomUUID() });
				}
			};
			await Promise.all(Array.from({ length: atOnce }, lane));
			return (events * 1_000) / (performance.now() - startedAt);
		},
		close: () => nc.close(),
	};
}
