import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import type { Tracer } from "@opentelemetry/api";
import { pause } from "../pause.ts";
import { openEvent } from "../sensitive.ts";
import type { At } from "../step.ts";
import type { OnError, PublishedEvents, Transport } from "../transport.ts";
import { hasDueEvents, listPublished, removePublished } from "./outbox.store.ts";
import { type BatchOptions, publishBatch } from "./publish-batch.ts";

export type RelayOptions = {
	db: Database;
	transport: Transport;
	now: () => Date;
	onError: OnError;
	/** The polling interval while the outbox is empty. It is shorter right after an event. Default: 250 ms. */
	intervalMs?: number;
	/** The maximum number of events per transaction. Default: 500. */
	batchMax?: number;
	/** The time limit of one publication. Default and maximum: 10 s. */
	publishTimeoutMs?: number;
	/** Creates the spans of publications. */
	tracer?: Tracer | undefined;
	/** Decrypt the sensitive members of events. Required if the service publishes types that have some. */
	keys?: KeyEncryptionKeys | undefined;
	at?: At | undefined;
};

export type Relay = {
	/** Finishes the current batch and starts no other. */
	stop(): Promise<void>;
	/**
	 * Publishes all due events now, after waiting for other relays. Failed events wait for their retry. Throws
	 * an Error if the database fails.
	 */
	flush(): Promise<void>;
};

const pauseMaxMs = 2_000;
/** The polling interval right after an event, because another is likely. It doubles with each empty poll. */
const livelyMs = 10;
const lockWaitMs = 20;
const lockWaitMaxMs = 60_000;
const keepMs = 7 * 24 * 3_600_000;
const purgeEveryMs = 60_000;
const purgeMax = 500;

/**
 * Publishes a service's events in the background until it is stopped. Several relays may run on one database:
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
		const did = await publishDue(batch);
		const restMs = rest(did, performance.now() - startedAt);
		await purge();
		if (did !== "more") await pause(restMs, signal);
	}
	announced?.withdraw();
}

/** The pause after each round: shorter after events, longer after failures. */
function resting(intervalMs: number): (did: Did, tookMs: number) => number {
	let failures = 0;
	let idle = 0;
	return (did, tookMs) => {
		const isDone = did === "done" || did === "more";
		if (isDone) failures = 0;
		if (did === "failed") failures += 1;
		idle = isDone ? 0 : Math.min(idle + 1, 20);
		const lively = failures > 0 ? intervalMs : Math.min(livelyMs * 2 ** idle, intervalMs);
		// With many waiting events even an empty poll is expensive: polling may take a fifth of the time at most.
		const slower = Math.max(lively * 2 ** failures, did === "idle" ? 4 * tookMs : 0);
		return Math.max(lively, Math.min(slower, pauseMaxMs));
	};
}

/** Announces the outbox before the first publication, so that requested replays read it first. */
async function announce({ db, transport, onError, keys = [] }: BatchOptions, signal: AbortSignal) {
	const list: PublishedEvents["list"] = async (query) =>
		(await listPublished(db, query)).map(({ position, envelope }) => ({
			position,
			envelope: openEvent(envelope, keys),
		}));
	while (!signal.aborted) {
		try {
			return await transport.announce({ list });
		} catch (error) {
			onError(error, "announce events");
			await pause(pauseMaxMs, signal);
		}
	}
	return undefined;
}

type Did = "more" | "done" | "idle" | "failed";

/**
 * Publishes one batch. "failed" means that the database or the transport failed, so an immediate retry is
 * useless. "idle" does not end a failure: the remaining events may all wait for their retry.
 */
async function publishDue(batch: BatchOptions): Promise<Did> {
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
		if (result === undefined && performance.now() - startedAt > lockWaitMaxMs)
			throw new Error("another relay holds the lock for too long");
		if (result === undefined) await pause(lockWaitMs);
	}
}

/**
 * Returns a function that removes old published events: a limited number once a minute, and again at once
 * while more remain.
 */
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
