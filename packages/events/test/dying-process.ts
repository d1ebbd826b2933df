import { setTimeout as sleep } from "node:timers/promises";
import {
	type Consumer,
	discardDeadLetter,
	inProcessTransport,
	listDeadLetters,
	natsTransport,
	redriveDeadLetter,
	type Step,
	startConsumers,
	startRelay,
	type Transport,
} from "@lango/events";
import { openPool } from "@lango/postgres";
import { fastClock, type Misfortune, noting, streamBytesMax } from "./trial.ts";

/**
 * A process that relays and consumes, and kills itself at the nth occurrence of a step. The faults of the
 * trial come first; occurrences are counted from then on.
 */
const [, , url = "", busUrl = "", step = "", nth = "1", misfortune = "", since = "0"] = process.argv;
const now = fastClock(Number(since));
const db = openPool({ url, name: "dying", sizeMax: 5 });
// Errors are ignored, because the process kills itself.
const onError = () => {};
let left = Number(nth);
let isCounting = misfortune !== "redriven";
/** Resolves when the first messages are acknowledged. */
const firstAcknowledged = Promise.withResolvers<void>();
const at = (done: Step) => {
	if (done === "messages acknowledged") firstAcknowledged.resolve();
	if (!isCounting || done !== step) return;
	left -= 1;
	if (left === 0) process.kill(process.pid, "SIGKILL");
};

const tries = new Map<string, number>();
let isHealed = false;

/** The fault that affects the second event of b. */
function failing(consumer: Consumer): Consumer {
	return {
		...consumer,
		apply: async (tx, envelope) => {
			const { n } = envelope.data as { n: number };
			if (envelope.subject !== "b" || n !== 2 || isHealed) return consumer.apply(tx, envelope);
			const tried = (tries.get(envelope.id) ?? 0) + 1;
			tries.set(envelope.id, tried);
			const isOut = (misfortune as Misfortune) === "fails once" && tried > 1;
			if ((misfortune as Misfortune) === "unfit" && tried > 1)
				return consumer.apply(tx, { ...envelope, data: { n: "two" } });
			if (misfortune !== "none" && misfortune !== "refused" && !isOut) throw new Error("it cannot be done");
			return consumer.apply(tx, envelope);
		},
	};
}

/** Refuses the first publication about c. */
function refusing(transport: Transport): Transport {
	let isRefused = misfortune !== "refused";
	return {
		...transport,
		publish: async (envelope) => {
			if (isRefused || envelope.subject !== "c") return transport.publish(envelope);
			isRefused = true;
			throw new Error("refused");
		},
	};
}

/**
 * Publishes the third event and later ones after the first messages are acknowledged. Otherwise the reader
 * may receive all events in one batch, and no step of reading occurs a second time.
 */
function inTwoBatches(transport: Transport): Transport {
	let published = 0;
	return {
		...transport,
		publish: async (envelope) => {
			published += 1;
			if (published > 2) await firstAcknowledged.promise;
			return transport.publish(envelope);
		},
	};
}

const bus =
	busUrl === ""
		? inProcessTransport()
		: natsTransport({ url: busUrl, name: "dying", onError, streamBytesMax });
const transport = refusing(inTwoBatches(bus));
const consumers = [failing(noting("pos"))];
await startConsumers({ service: "pos", db, transport, consumers, onError, now, intervalMs: 10, at });
// By the real time: once a minute it removes old events.
startRelay({ db, transport, now: () => new Date(), onError, intervalMs: 5, batchMax: 2, at });

while (misfortune === "redriven" || misfortune === "given up") {
	const { items } = await listDeadLetters(db, { service: "pos" });
	const [letter] = items;
	if (letter !== undefined) {
		isHealed = true;
		isCounting = true;
		const decide = misfortune === "redriven" ? redriveDeadLetter : discardDeadLetter;
		await decide(db, { service: "pos", id: letter.id, now: now(), at });
		break;
	}
	await sleep(20);
}
await sleep(30_000);
process.exit(3);
