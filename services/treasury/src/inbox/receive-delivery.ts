import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@lango/chassis";
import { enqueueJobs } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { createBatches } from "./batch.ts";
import { storeDeliveries } from "./delivery.store.ts";
import type { NewDelivery } from "./delivery.ts";
import { openSpool } from "./spool.ts";

/** Takes the requests of gateways: they are stored before they are answered, and applied later. */
export type Inbox = {
	/** Stores a delivery and the job that applies it. Throws the error of the database. */
	store(delivery: NewDelivery): Promise<void>;
	/**
	 * The same for a sender that does not try again: if the database does not store the delivery in time, it is
	 * written to the spool. Throws the error of the spool if that fails, too.
	 */
	storeOrSpool(delivery: NewDelivery): Promise<void>;
	/** Stores what is in the spool. Returns how many deliveries. */
	drain(): Promise<number>;
	/** Stops looking into the spool. */
	stop(): Promise<void>;
};

type Parts = { db: Database; log: Pick<Logger, "warn">; spoolDir: string };

/** The job that applies the deliveries of one object. */
export const applyJob = { name: "inbox.apply" } as const;

const batchMax = 64;
/** A gateway waits about five seconds for an answer. */
const storeMs = 2_500;
const drainEveryMs = 5_000;

/** Opens the inbox, and stores what an earlier process left in the spool. */
export function openInbox({ db, log, spoolDir }: Parts): Inbox {
	const spool = openSpool(spoolDir);
	const store = createBatches<NewDelivery>({ sizeMax: batchMax, work: (some) => storeBatch(db, some) });
	const drain = () => spool.drain(store);
	const stopDraining = repeat(drain, (err) =>
		log.warn({ err }, "deliveries stay in the spool; stored later"),
	);
	return {
		store,
		drain,
		stop: stopDraining,
		async storeOrSpool(delivery) {
			try {
				await within(storeMs, store(delivery));
			} catch (err) {
				log.warn({ err }, "a delivery goes to the spool: the database did not store it");
				await spool.keep(delivery);
			}
		},
	};
}

async function storeBatch(db: Database, deliveries: readonly NewDelivery[]): Promise<void> {
	await db.transaction(async (tx) => {
		const stored = await storeDeliveries(tx, deliveries);
		const fresh = stored.filter(({ isNew }) => isNew);
		await enqueueJobs(
			tx,
			applyJob,
			fresh.map(({ objectKey }) => ({ id: objectKey })),
		);
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
