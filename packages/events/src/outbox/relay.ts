import type { Database } from "@lango/postgres";
import type { Tracer } from "@opentelemetry/api";
import { pause } from "../pause.ts";
import type { At } from "../step.ts";
import type { OnError, Transport } from "../transport.ts";
import { hasDueEvents, listPublished, removePublished } from "./outbox.store.ts";
import { type BatchOptions, publishBatch } from "./publish-batch.ts";

export type RelayOptions = {
	db: Database;
	transport: Transport;
	now: () => Date;
	onError: OnError;
	/** How often the outbox is looked at while there is nothing to do; right after something was, it is more often. */
	intervalMs?: number;
	/** How many events one transaction publishes at most. */
	batchMax?: number;
	/** How long one publication may take before it counts as failed; 10 s at most. */
	publishTimeoutMs?: number;
	/** Makes spans of what is published. */
	tracer?: Tracer | undefined;
	at?: At | undefined;
};

export type Relay = {
	/** Finishes the batch under way and begins no other. */
	stop(): Promise<void>;
	/** Publishes all that is due now, whoever's turn it is. What fails waits as usual. Throws when the database does. */
	flush(): Promise<void>;
};

const pauseMaxMs = 2_000;
/** After an event another is likely: the outbox is looked at again after so long, then after twice as long each time. */
const livelyMs = 10;
const turnWaitMs = 20;
const turnWaitMaxMs = 60_000;
const keepMs = 7 * 24 * 3_600_000;
const purgeEveryMs = 60_000;
const purgeMax = 500;

/**
 * Publishes a service's events in the background until it is stopped. Any number of relays may run on one database:
 * one publishes at a time, and another takes over when it stops or dies.
 */
export function startRelay({
	intervalMs = 250,
	batchMax = 500,
	publishTimeoutMs = 10_000,
	...rest
}: RelayOptions): Relay {
	const stopping = new AbortController();
	const batch: BatchOptions = { ...rest, batchMax, publishTimeoutMs: Math.min(publishTimeoutMs, 10_000) };
	const running = run(batch, { intervalMs, signal: stopping.signal });
	return {
		async stop() {
			stopping.abort();
			await running;
		},
		flush: () => flush(batch),
	};
}

async function run(
	batch: BatchOptions,
	{ intervalMs, signal }: { intervalMs: number; signal: AbortSignal },
): Promise<void> {
	const purge = purging(batch);
	const rest = resting(intervalMs);
	const announced = await announce(batch, signal);
	while (!signal.aborted) {
		const startedAt = performance.now();
		const did = await takeTurn(batch);
		const restMs = rest(did, performance.now() - startedAt);
		await purge();
		if (did !== "more") await pause(restMs, signal);
	}
	announced?.withdraw();
}

/** How long to rest after each turn: shorter while events come, longer while nothing gets out. */
function resting(intervalMs: number): (did: Did, tookMs: number) => number {
	let failures = 0;
	let idle = 0;
	return (did, tookMs) => {
		const isDone = did === "done" || did === "more";
		if (isDone) failures = 0;
		if (did === "failed") failures += 1;
		idle = isDone ? 0 : Math.min(idle + 1, 20);
		const lively = failures > 0 ? intervalMs : Math.min(livelyMs * 2 ** idle, intervalMs);
		// Where very much waits, even seeing that nothing is due takes the database some time: a fifth of it at most.
		const slower = Math.max(lively * 2 ** failures, did === "idle" ? 4 * tookMs : 0);
		return Math.max(lively, Math.min(slower, pauseMaxMs));
	};
}

/** Until the transport knows of this outbox, nothing is published: who reads again what it told before reads that first. */
async function announce({ db, transport, onError }: BatchOptions, signal: AbortSignal) {
	while (!signal.aborted) {
		try {
			return await transport.announce({ list: (wish) => listPublished(db, wish) });
		} catch (error) {
			onError(error, "announce events");
			await pause(pauseMaxMs, signal);
		}
	}
	return undefined;
}

type Did = "more" | "done" | "idle" | "failed";

/**
 * "failed" when the database cannot be worked with or nothing gets out: then looking again at once helps nobody, and
 * "idle", with the rest of the events waiting after a failure, is no sign that it is over.
 */
async function takeTurn(batch: BatchOptions): Promise<Did> {
	try {
		if (!(await hasDueEvents(batch.db, batch.now()))) return "idle";
		const result = await publishBatch(batch);
		if (result === undefined || result.taken === 0) return "idle";
		if (result.published === 0) return "failed";
		return result.taken === batch.batchMax ? "more" : "done";
	} catch (error) {
		batch.onError(error, "publish events");
		return "failed";
	}
}

async function flush(batch: BatchOptions): Promise<void> {
	const startedAt = performance.now();
	for (;;) {
		const result = await publishBatch(batch);
		if (result?.published === 0) return;
		if (result === undefined && performance.now() - startedAt > turnWaitMaxMs)
			throw new Error("another relay never ended its turn");
		if (result === undefined) await pause(turnWaitMs);
	}
}

/** Removes old published events, some at a time and once a minute, but again at once while there are many. */
function purging({ db, now, onError }: BatchOptions): () => Promise<void> {
	let nextAt = 0;
	return async () => {
		const time = now().getTime();
		if (time < nextAt) return;
		try {
			const removed = await removePublished(db, { before: new Date(time - keepMs), limit: purgeMax });
			nextAt = removed === purgeMax ? 0 : time + purgeEveryMs;
		} catch (error) {
			nextAt = time + purgeEveryMs;
			onError(error, "remove published events");
		}
	};
}
