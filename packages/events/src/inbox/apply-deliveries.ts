import { authUserDeleted, type EventEnvelope } from "@lango/contracts";
import { type Background, type Database, runInBackground } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { type RequestContext, runWithSpan, withoutRequestContext, withRequestContext } from "@lango/tracing";
import type { Tracer } from "@opentelemetry/api";
import { InvalidEvent } from "../check-event.ts";
import { readEnvelope } from "../envelope.ts";
import { pause } from "../pause.ts";
import { openMessage, type SensitiveMembers } from "../sensitive.ts";
import type { At } from "../step.ts";
import { contextOfEffect } from "../trace-events.ts";
import type { OnError } from "../transport.ts";
import {
	type Delivery,
	deliveriesSignal,
	hasDue,
	listFresh,
	markDead,
	parkDelivery,
	releaseForgotten,
	releaseSubject,
	removeUnrequested,
	takeDeliveries,
} from "./deliveries.store.ts";
import { discardSuperseded } from "./erasure.store.ts";
import { advanceVersion } from "./inbox.store.ts";
import { shorten } from "./open-inbox.ts";
import { versionOf } from "./version.ts";

export type ApplyingOptions = {
	consumer: string;
	/** The event types that this process can apply. Other types are left to processes of other releases. */
	types: readonly string[];
	db: Database;
	now: () => Date;
	onError: OnError;
	/** Applies an event in the given transaction. Throws an Error on failure. */
	apply: (tx: Database, envelope: EventEnvelope) => Promise<void>;
	/** The number of events, of different subjects, that are applied concurrently. */
	atOnce: number;
	/** The polling interval of an idle process, for events that another process has stored. */
	intervalMs: number;
	/** Called for each applied event, in its request context. */
	onApplied?: ((applied: Applied) => void) | undefined;
	/** Called with the type of each event whose effect failed. */
	onFailed?: ((type: string) => void) | undefined;
	/** Creates the spans of effects. */
	tracer?: Tracer | undefined;
	/** The types whose sensitive members are encrypted, and the keys that decrypt them. */
	sensitive: SensitiveMembers;
	keys: KeyEncryptionKeys;
	at?: At | undefined;
};

/** An applied event and the time it took. */
export type Applied = { type: string; id: string; seconds: number };

export type Applying = {
	/** Signals that this many more events can be applied. */
	wake(count: number): void;
	/** Finishes running effects and starts no more. */
	stop(): Promise<void>;
};

/** An event becomes a dead letter after this many attempts. */
const triesMax = 10;
const retrySeconds = 1;
const retrySecondsMax = 900;
const releaseEveryMs = 30_000;
const brokenPauseMs = 1_000;
const lookMsMax = 500;
/** After this many consecutive events, a lane starts another one. */
const busyRow = 10;

/** The delay in milliseconds after the nth failure: one second, tripled each time, up to 15 minutes. */
export const waitAfter = (failures: number): number =>
	1_000 * Math.min(retrySeconds * 3 ** (failures - 1), retrySecondsMax);

/**
 * Applies stored events, in order per subject, until it is stopped. Several processes may run on one
 * database.
 */
export function startApplying(given: ApplyingOptions): Applying {
	const { intervalMs } = given;
	const lookMs = Math.min(intervalMs, lookMsMax);
	const retryIn = (ms: number) => look.wake(ms);
	const options: Lane = { ...given, lookMs, retryIn, inFlight: new Set(), fresh: 0, dueAt: 0 };
	const { db, consumer, types, onError, atOnce } = options;
	const stopping = new AbortController();
	const { signal } = stopping;
	const lanes = new Set<Promise<void>>();
	let wakes = 0;

	const start = () => {
		if (signal.aborted || lanes.size >= atOnce) return;
		const lane: Promise<void> = withoutRequestContext(run).finally(() => void lanes.delete(lane));
		lanes.add(lane);
	};
	const run = async () => {
		for (let row = 1; !signal.aborted; row += 1) {
			const before = wakes;
			try {
				// What was stored while it looked may have been missed, and no lane was free to be started for it.
				if (!(await applyNext(options)) && wakes === before) return;
				if (row % busyRow === 0) start();
			} catch (error) {
				onError(error, "apply events");
				await pause(brokenPauseMs, signal);
				return look.wake();
			}
		}
	};
	let releaseAt = 0;
	const release = async () => {
		if (performance.now() < releaseAt) return;
		releaseAt = performance.now() + releaseEveryMs;
		const removed = await removeUnrequested(db, consumer);
		if (removed > 0)
			onError(new Error(`removed ${removed} events of types without a consumer`), "apply events");
		await releaseForgotten(db, consumer);
	};
	/** A cheap query for due events that no lane was started for. */
	const look: Background = runInBackground({
		pauseMs: { least: lookMs, most: intervalMs },
		work: async () => {
			await release();
			if (!(await hasDue(db, { consumer, types, now: options.now() }))) return "nothing";
			options.dueAt = 0;
			start();
			return "found";
		},
		onError: (error) => onError(error, "apply events"),
	});
	const ignore = db.onSignal(deliveriesSignal, look.wake);
	start();
	return {
		wake: (count) => {
			options.fresh += count;
			wakes += 1;
			for (let n = 0; n < Math.min(count, atOnce); n += 1) start();
		},
		async stop() {
			ignore();
			stopping.abort();
			await look.stop();
			await Promise.all(lanes);
		},
	};
}

type Lane = ApplyingOptions & {
	/** How often busy lanes look for retries. */
	lookMs: number;
	/** Looks for due events after a time. */
	retryIn: (ms: number) => void;
	/** Events that a lane is working on, until a failure is recorded. Other lanes skip them. */
	inFlight: Set<bigint>;
	/** The approximate number of events that were never attempted. */
	fresh: number;
	/** When to look for retries next. */
	dueAt: number;
};

/**
 * The maximum number of events per transaction. Only used when many wait, because a slow event delays the
 * others in its transaction.
 */
const batchMax = 16;
const manyPerLane = 8;

/** Applies the next event. Returns false if none is due. Throws an Error if the database fails. */
async function applyNext(options: Lane): Promise<boolean> {
	if (performance.now() >= options.dueAt) {
		if ((await applyBatch(options, { among: "due" })) > 0) return true;
		options.dueAt = performance.now() + options.lookMs;
	}
	const limit = Math.min(Math.floor(options.fresh / (options.atOnce * manyPerLane)), batchMax);
	const taken = limit > 1 ? await applyMany(options, limit) : await applyBatch(options, { among: "fresh" });
	options.fresh = taken === 0 ? 0 : Math.max(options.fresh - taken, 0);
	return taken > 0;
}

/**
 * Applies several events of one tenant in one transaction, because row-level security allows only one tenant
 * per transaction. Returns their number.
 */
async function applyMany(options: Lane, limit: number): Promise<number> {
	const { db, consumer, types, inFlight } = options;
	const fresh = await listFresh(db, { consumer, types, except: [...inFlight], limit });
	const ofTenants = Map.groupBy(fresh, tenantOf);
	for (const { position } of fresh) inFlight.add(position);
	let applied = 0;
	try {
		for (const ofOne of ofTenants.values())
			applied += await applyBatch(options, {
				among: "chosen",
				positions: ofOne.map(({ position }) => position),
			});
	} finally {
		for (const { position } of fresh) inFlight.delete(position);
	}
	return applied;
}

const tenantOf = (delivery: Pick<Delivery, "body" | "type">): string | undefined =>
	readIfEvent(delivery)?.tenantid;

/** Returns undefined for an unreadable event. It is refused when it is applied. */
function readIfEvent({ body, type }: Pick<Delivery, "body" | "type">): EventEnvelope | undefined {
	try {
		return readEnvelope(body, type);
	} catch {
		return undefined;
	}
}

type Wanted = { among: "fresh" | "due" } | { among: "chosen"; positions: readonly bigint[] };

/**
 * Applies one event, or the chosen ones in one transaction, and returns their number. If one of several
 * fails, each is applied alone.
 */
async function applyBatch(options: Lane, wanted: Wanted): Promise<number> {
	const { db, consumer, types, now, inFlight, at } = options;
	let taken: Delivery[] = [];
	const had: AppliedEffect[] = [];
	try {
		await db.transaction(async (tx) => {
			const among = "positions" in wanted ? wanted : { ...wanted, except: [...inFlight], limit: 1 };
			taken = await takeDeliveries(tx, { consumer, types, now: now(), ...among });
			for (const { position } of taken) inFlight.add(position);
			if (taken.length > 0) at?.("delivery taken");
			for (const one of taken) had.push(...(await applyTaken(tx, one, options)));
			if (taken.length > 0) at?.("effect applied");
		});
		if (taken.length > 0) at?.("effect committed");
		for (const { context, applied } of had) withRequestContext(context, () => options.onApplied?.(applied));
		return taken.length;
	} catch (error) {
		const [only] = taken;
		if (only === undefined) throw error;
		if (taken.length === 1) await inContextOf(only, () => noteFailure(only, error, options));
	} finally {
		for (const { position } of taken) inFlight.delete(position);
	}
	if (taken.length > 1)
		for (const { position } of taken) await applyBatch(options, { among: "chosen", positions: [position] });
	return taken.length;
}

/** An applied event with its request context. */
type AppliedEffect = { context: RequestContext; applied: Applied };

/** Applies a delivery. Returns an empty list if the event is a duplicate or outdated. */
async function applyTaken(tx: Database, taken: Delivery, options: ApplyingOptions): Promise<AppliedEffect[]> {
	const { consumer, now, sensitive, keys } = options;
	const body = sensitive.has(taken.type) ? openMessage(taken.body, keys) : taken.body;
	const envelope = readEnvelope(body, taken.type);
	if (envelope.type === authUserDeleted.type) await releaseErasure(tx, taken, options);
	const version = versionOf(envelope);
	const isNews =
		taken.isFirst && (version === undefined || (await advanceVersion(tx, version, { consumer, now: now() })));
	const had = isNews ? [await runEffect(tx, envelope, options)] : [];
	if (taken.isParked && taken.subject !== null)
		await releaseSubject(tx, { consumer, subject: taken.subject });
	return had;
}

async function runEffect(
	tx: Database,
	envelope: EventEnvelope,
	{ apply, consumer, tracer }: ApplyingOptions,
): Promise<AppliedEffect> {
	const began = performance.now();
	const context = contextOfEffect(envelope, tracer, consumer);
	await runWithSpan(context, () => apply(tx, envelope));
	const seconds = (performance.now() - began) / 1_000;
	return { context, applied: { type: envelope.type, id: envelope.id, seconds } };
}

/**
 * Before a person is erased, discards the failed events about them, and releases the events that wait behind
 * those.
 */
async function releaseErasure(
	tx: Database,
	{ position, subject }: Delivery,
	{ consumer, now, onError }: ApplyingOptions,
): Promise<void> {
	if (subject === null) return;
	const count = await discardSuperseded(tx, { consumer, subject, position, now: now() });
	if (count === 0) return;
	await releaseForgotten(tx, consumer);
	onError(
		new Error(`discarded ${count} events: the person is erased`),
		`apply ${authUserDeleted.type} ${position}`,
	);
}

/**
 * Runs `work` in the request context of the event, if it is readable, so that log lines have the request id.
 */
function inContextOf<T>({ body, type }: Delivery, work: () => T): T {
	const envelope = readIfEvent({ body, type });
	return envelope === undefined ? work() : withRequestContext(contextOfEffect(envelope, undefined, ""), work);
}

/**
 * Records a failure. An event that does not match its contract blocks no other, because no retry can succeed.
 * Any other failure blocks the subject until the retry.
 */
async function noteFailure(taken: Delivery, error: unknown, options: Lane): Promise<void> {
	const { db, now, onError, at } = options;
	const { position, type, attempts } = taken;
	const failures = attempts + 1;
	const isInvalid = error instanceof InvalidEvent;
	const reason = shorten(error instanceof Error ? error.message : String(error));
	onError(error, `apply ${type} ${position}, attempt ${failures}`);
	options.onFailed?.(type);
	at?.("effect failed");
	if (!isInvalid && failures < triesMax) {
		const waitMs = waitAfter(failures);
		await parkDelivery(db, { position, until: new Date(now().getTime() + waitMs), reason });
		options.retryIn(waitMs);
		at?.("delivery parked");
		return;
	}
	at?.("delivery discarded");
	await markDead(db, { position, now: now(), reason, blocksSubject: !isInvalid });
	at?.("delivery marked dead");
}
