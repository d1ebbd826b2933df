import { type Database, type Round, runInBackground } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import type { Tracer } from "@opentelemetry/api";
import { pause } from "../pause.ts";
import { pollMs } from "../poll-interval.ts";
import { openEvent } from "../sensitive.ts";
import type { At } from "../step.ts";
import type { OnError, PublishedEvents, Transport } from "../transport.ts";
import { hasDueEvents, listPublished, outboxSignal, removePublished } from "./outbox.store.ts";
import { type BatchOptions, publishBatch } from "./publish-batch.ts";

export type RelayOptions = {
	db: Database;
	transport: Transport;
	now: () => Date;
	onError: OnError;
	/**
	 * The polling interval while the outbox is empty, for events whose process died before it published them
	 * and for operators' commands. It is shorter right after an event. Default: `pollMs`.
	 */
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

const announceAgainMs = 2_000;
/** The pause right after an event, because another is likely. It doubles with each empty poll. */
const livelyMs = 10;
const lockWaitMs = 20;
const lockWaitMaxMs = 60_000;
const keepMs = 7 * 24 * 3_600_000;
const purgeEveryMs = 60_000;
const purgeMax = 500;

/**
 * Publishes a service's events in the background until it is stopped: at once after their commit in this
 * process. Several relays may run on one database: one publishes at a time, and another takes over when it
 * stops or dies.
 */
export function startRelay({
	intervalMs,
	batchMax = 500,
	publishTimeoutMs = 10_000,
	...rest
}: RelayOptions): Relay {
	const { db, transport, onError } = rest;
	const batch: BatchOptions = { ...rest, batchMax, publishTimeoutMs: Math.min(publishTimeoutMs, 10_000) };
	const most = intervalMs ?? pollMs(transport);
	const stopping = new AbortController();
	const { signal } = stopping;
	let announced: ReturnType<typeof announce> | undefined;
	const purge = purging(batch);
	const background = runInBackground({
		pauseMs: { least: Math.min(livelyMs, most), most },
		work: async (isStopped) => {
			announced ??= announce(batch, signal);
			await announced;
			if (isStopped()) return "nothing";
			const did = await publishDue(batch);
			const isPurged = await purge();
			return did === "nothing" && !isPurged ? "found" : did;
		},
		onError: (error) => onError(error, "publish events"),
	});
	const ignore = db.onSignal(outboxSignal, background.wake);
	return {
		async stop() {
			ignore();
			stopping.abort();
			await background.stop();
			(await announced)?.withdraw();
		},
		flush: () => flush(batch),
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
			await pause(announceAgainMs, signal);
		}
	}
	return undefined;
}

/**
 * Publishes one batch. "failed" means that the database or the transport failed, so an immediate retry is
 * useless.
 */
async function publishDue(batch: BatchOptions): Promise<Round> {
	if (!(await hasDueEvents(batch.db, batch.now()))) return "nothing";
	const result = await publishBatch(batch);
	if (result === undefined || result.taken === 0) return "nothing";
	if (result.published === 0) return "failed";
	return result.taken === batch.batchMax ? "more" : "found";
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
 * while more remain. It returns whether none remain.
 */
function purging({ db, now, onError }: BatchOptions): () => Promise<boolean> {
	let nextAt = 0;
	return async () => {
		const time = now().getTime();
		if (time < nextAt) return true;
		nextAt = time + purgeEveryMs;
		try {
			const removed = await removePublished(db, { before: new Date(time - keepMs), limit: purgeMax });
			if (removed < purgeMax) return true;
			nextAt = 0;
			return false;
		} catch (error) {
			onError(error, "remove published events");
			return true;
		}
	};
}
