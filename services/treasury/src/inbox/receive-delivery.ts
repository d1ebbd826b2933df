import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@lango/chassis";
import { enqueueJobs } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { createBatches } from "./batch.ts";
import { storeDeliveries } from "./delivery.store.ts";
import type { NewDelivery } from "./delivery.ts";
import { openSpool, type SpoolState } from "./spool.ts";

/** Takes the requests of gateways: they are stored before they are answered, and applied later. */
export type Inbox = {
	/**
	 * Stores a delivery and the job that applies it. Throws the error of the database, and an Error if it
	 * takes too long or too many wait.
	 */
	store(delivery: NewDelivery): Promise<void>;
	/**
	 * The same for a sender that does not try again: if the database does not store the delivery in time,
	 * it is written to the spool. Throws the error of the spool if that fails, too.
	 */
	storeOrSpool(delivery: NewDelivery): Promise<void>;
	/** Stores what is in the spool. Returns how many deliveries. */
	drain(): Promise<number>;
	/** What waits in the spool of this process. */
	measureSpool(): Promise<SpoolState>;
	/** Stops looking into the spool. */
	stop(): Promise<void>;
};

type Parts = {
	db: Database;
	log: Pick<Logger, "warn" | "error">;
	spoolDir: string;
	counts: { repeated(howMany: number): void };
};

/** The job that applies the deliveries of one object. */
export const applyJob = { name: "inbox.apply" } as const;

const batchMax = 64;
/** What waits in the memory of this process while a batch is stored. */
const waitingBytesMax = 64 * 1024 * 1024;
/** About what a delivery needs besides its body. */
const overheadBytes = 2_048;
const bytesOf = ({ raw }: NewDelivery): number => raw.length + overheadBytes;
/** The card gateway waits about thirty seconds for an answer. */
const waitMs = 20_000;
/** A gateway waits about five seconds for an answer. */
const storeMs = 2_500;
const drainEveryMs = 5_000;

/** Opens the inbox, and stores what an earlier process left in the spool. */
export function openInbox({ db, log, spoolDir, counts }: Parts): Inbox {
	const spool = openSpool(spoolDir, log);
	const storeAll = async (some: readonly NewDelivery[]) =>
		counts.repeated(some.length - (await storeBatch(db, some)));
	const queue = createBatches<NewDelivery>({
		...{ sizeMax: batchMax, waitingMax: waitingBytesMax, weigh: bytesOf },
		work: storeAll,
	});
	// Each by itself: one that the database refuses is set aside, and must not take others of a batch along.
	const drain = () => spool.drain((delivery) => within(waitMs, storeAll([delivery])));
	const stopDraining = repeat(drain, (err) =>
		log.warn({ err }, "deliveries stay in the spool; stored later"),
	);
	return {
		store: (delivery) => within(waitMs, queue(delivery)),
		drain,
		measureSpool: spool.measure,
		stop: stopDraining,
		async storeOrSpool(delivery) {
			try {
				await within(storeMs, queue(delivery));
			} catch (err) {
				log.warn({ err }, "a delivery goes to the spool: the database did not store it");
				await spool.keep(delivery);
			}
		},
	};
}

/** Returns how many are new. */
function storeBatch(db: Database, deliveries: readonly NewDelivery[]): Promise<number> {
	return db.transaction(async (tx) => {
		const stored = await storeDeliveries(tx, deliveries);
		const fresh = stored.filter(({ isNew }) => isNew);
		await enqueueJobs(
			tx,
			applyJob,
			fresh.map(({ objectKey }) => ({ id: objectKey })),
		);
		return fresh.length;
	});
}

/** Throws an Error when the work takes longer. The work continues: what it stores later is a duplicate. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
	const over = new AbortController();
	const late = sleep(ms, undefined, { signal: over.signal, ref: false }).then(() => {
		throw new Error(`not stored within ${ms} ms`);
	});
	late.catch(() => undefined);
	try {
		return await Promise.race([work, late]);
	} finally {
		over.abort();
	}
}

/** Repeats work, one run at a time, until the returned function is called. */
function repeat(work: () => Promise<unknown>, onError: (error: unknown) => void): () => Promise<void> {
	let running: Promise<unknown> = Promise.resolve();
	let isRunning = false;
	const timer = setInterval(() => {
		if (isRunning) return;
		isRunning = true;
		running = work()
			.catch(onError)
			.finally(() => {
				isRunning = false;
			});
	}, drainEveryMs);
	timer.unref();
	return async () => {
		clearInterval(timer);
		await running;
	};
}
