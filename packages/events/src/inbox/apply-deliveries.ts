import { authUserDeleted, type EventEnvelope } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { type RequestContext, runWithSpan, withoutRequestContext, withRequestContext } from "@lango/tracing";
import type { Tracer } from "@opentelemetry/api";
import { Misfit } from "../check-event.ts";
import { readEnvelope } from "../envelope.ts";
import { pause } from "../pause.ts";
import type { At } from "../step.ts";
import { contextOfEffect } from "../trace-events.ts";
import type { OnError } from "../transport.ts";
import {
	buryDelivery,
	type Delivery,
	hasDue,
	holdDelivery,
	listFresh,
	releaseForgotten,
	releaseSubject,
	removeUnasked,
	takeDeliveries,
} from "./deliveries.store.ts";
import { giveUpSuperseded } from "./erasure.store.ts";
import { advanceVersion } from "./inbox.store.ts";
import { shorten } from "./open-inbox.ts";
import { versionOf } from "./version.ts";

export type ApplyingOptions = {
	consumer: string;
	/** What this process knows the effects of; others are left to a process that does. */
	types: readonly string[];
	db: Database;
	now: () => Date;
	onError: OnError;
	/** Has the effect of an event, in the transaction it is given. Throws when it cannot. */
	apply: (tx: Database, envelope: EventEnvelope) => Promise<void>;
	/** How many events, of different subjects, are applied at the same time. */
	atOnce: number;
	/** How often it is looked for what is to be tried again and what another process has taken over. */
	intervalMs: number;
	/** Told of each event that has had its effect, on the trail it belongs to. */
	onApplied?: ((applied: Applied) => void) | undefined;
	/** Told of the type of each event whose effect was tried and failed. */
	onFailed?: ((type: string) => void) | undefined;
	/** Makes spans of the effects. */
	tracer?: Tracer | undefined;
	at?: At | undefined;
};

/** An event that has had its effect, and how long that took. */
export type Applied = { type: string; id: string; seconds: number };

export type Applying = {
	/** So many more events may be applied now. */
	wake(count: number): void;
	/** Finishes what is under way and begins no more. */
	stop(): Promise<void>;
};

/** After so many tries an event is a dead letter. */
const triesMax = 10;
const retrySeconds = 1;
const retrySecondsMax = 900;
const releaseEveryMs = 30_000;
const brokenPauseMs = 1_000;
/** A lane that finds so many one after the other asks for company. */
const busyRow = 10;

/** How long an event waits after it failed for the nth time: a second, then three times as long each, up to a quarter of an hour. */
export const waitAfter = (failures: number): number =>
	1_000 * Math.min(retrySeconds * 3 ** (failures - 1), retrySecondsMax);

/** Applies what was taken over, in order for each subject, until it is stopped. Any number of processes may on one database. */
export function startApplying(given: ApplyingOptions): Applying {
	const options: Lane = { ...given, underWay: new Set(), fresh: 0, dueAt: 0 };
	const { db, consumer, types, onError, atOnce, intervalMs } = options;
	const stopping = new AbortController();
	const { signal } = stopping;
	const lanes = new Set<Promise<void>>();
	let releaseAt = 0;

	const start = () => {
		if (signal.aborted || lanes.size >= atOnce) return;
		const lane: Promise<void> = withoutRequestContext(run).finally(() => void lanes.delete(lane));
		lanes.add(lane);
	};
	const run = async () => {
		for (let row = 1; !signal.aborted; row += 1) {
			try {
				if (!(await applyNext(options))) return;
				if (row % busyRow === 0) start();
			} catch (error) {
				onError(error, "apply events");
				return pause(brokenPauseMs, signal);
			}
		}
	};
	let looking: Promise<void> | undefined;
	/** One cheap question while there is nothing to do. */
	const lookOnce = async () => {
		try {
			if (!(await hasDue(db, { consumer, types, now: options.now() }))) return;
			options.dueAt = 0;
			start();
		} catch (error) {
			onError(error, "apply events");
			await pause(brokenPauseMs, signal);
		}
	};
	let releasing: Promise<void> | undefined;
	const release = async () => {
		try {
			const unasked = await removeUnasked(db, consumer);
			if (unasked > 0)
				onError(new Error(`${unasked} events are removed: nobody asks for their type`), "apply events");
			if ((await releaseForgotten(db, consumer)) > 0 || unasked > 0) start();
		} catch (error) {
			onError(error, "apply events");
		}
	};
	const look = setInterval(() => {
		looking ??= lookOnce().finally(() => {
			looking = undefined;
		});
		if (performance.now() < releaseAt) return;
		releaseAt = performance.now() + releaseEveryMs;
		releasing ??= release().finally(() => {
			releasing = undefined;
		});
	}, intervalMs);
	start();
	return {
		wake: (count) => {
			options.fresh += count;
			for (let n = 0; n < Math.min(count, atOnce); n += 1) start();
		},
		async stop() {
			stopping.abort();
			clearInterval(look);
			await Promise.all([looking, releasing]);
			await Promise.all(lanes);
		},
	};
}

type Lane = ApplyingOptions & {
	/** From taking an event to the note of its failure no other lane shall try it. */
	underWay: Set<bigint>;
	/** About how many wait to be applied for the first time. */
	fresh: number;
	/** When to look next for what is to be tried again. */
	dueAt: number;
};

/** So many events share a transaction at most, and only where many wait: a slow one holds up those it shares it with. */
const batchMax = 16;
const manyPerLane = 8;

/** Applies what comes next; false when it is nobody's turn. Throws when the database cannot be worked with. */
async function applyNext(options: Lane): Promise<boolean> {
	if (performance.now() >= options.dueAt) {
		if ((await applyBatch(options, { among: "due" })) > 0) return true;
		options.dueAt = performance.now() + options.intervalMs;
	}
	const limit = Math.min(Math.floor(options.fresh / (options.atOnce * manyPerLane)), batchMax);
	const taken = limit > 1 ? await applyMany(options, limit) : await applyBatch(options, { among: "fresh" });
	options.fresh = taken === 0 ? 0 : Math.max(options.fresh - taken, 0);
	return taken > 0;
}

/** Applies some events, those of each tenant in one transaction: a transaction sees the rows of one tenant. Says how many there were. */
async function applyMany(options: Lane, limit: number): Promise<number> {
	const { db, consumer, types, underWay } = options;
	const fresh = await listFresh(db, { consumer, types, except: [...underWay], limit });
	const ofTenants = Map.groupBy(fresh, tenantOf);
	for (const { position } of fresh) underWay.add(position);
	let applied = 0;
	try {
		for (const ofOne of ofTenants.values())
			applied += await applyBatch(options, {
				among: "chosen",
				positions: ofOne.map(({ position }) => position),
			});
	} finally {
		for (const { position } of fresh) underWay.delete(position);
	}
	return applied;
}

const tenantOf = (delivery: Pick<Delivery, "body" | "type">): string | undefined =>
	readIfEvent(delivery)?.tenantid;

/** What can be read no more is refused when it is applied, not while choosing. */
function readIfEvent({ body, type }: Pick<Delivery, "body" | "type">): EventEnvelope | undefined {
	try {
		return readEnvelope(body, type);
	} catch {
		return undefined;
	}
}

type Wanted = { among: "fresh" | "due" } | { among: "chosen"; positions: readonly bigint[] };

/** Applies one event, or those chosen in one transaction, and says how many there were. Where one of several fails, each is tried alone. */
async function applyBatch(options: Lane, wanted: Wanted): Promise<number> {
	const { db, consumer, types, now, underWay, at } = options;
	let taken: Delivery[] = [];
	const had: Had[] = [];
	try {
		await db.transaction(async (tx) => {
			const among = "positions" in wanted ? wanted : { ...wanted, except: [...underWay], limit: 1 };
			taken = await takeDeliveries(tx, { consumer, types, now: now(), ...among });
			for (const { position } of taken) underWay.add(position);
			if (taken.length > 0) at?.("delivery taken");
			for (const one of taken) had.push(...(await applyTaken(tx, one, options)));
			if (taken.length > 0) at?.("effect had");
		});
		if (taken.length > 0) at?.("effect committed");
		for (const { context, applied } of had) withRequestContext(context, () => options.onApplied?.(applied));
		return taken.length;
	} catch (error) {
		const [only] = taken;
		if (only === undefined) throw error;
		if (taken.length === 1) await onTrailOf(only, () => noteFailure(only, error, options));
	} finally {
		for (const { position } of taken) underWay.delete(position);
	}
	if (taken.length > 1)
		for (const { position } of taken) await applyBatch(options, { among: "chosen", positions: [position] });
	return taken.length;
}

/** An effect that was had, and the trail it was had on. */
type Had = { context: RequestContext; applied: Applied };

/** Returns what had its effect: nothing when it was no news. */
async function applyTaken(tx: Database, taken: Delivery, options: ApplyingOptions): Promise<Had[]> {
	const { consumer, now } = options;
	const envelope = readEnvelope(taken.body, taken.type);
	if (envelope.type === authUserDeleted.type) await passWhatWaits(tx, taken, options);
	const version = versionOf(envelope);
	const isNews =
		taken.isFirst && (version === undefined || (await advanceVersion(tx, version, { consumer, now: now() })));
	const had = isNews ? [await haveEffect(tx, envelope, options)] : [];
	if (taken.isHeld && taken.subject !== null) await releaseSubject(tx, { consumer, subject: taken.subject });
	return had;
}

async function haveEffect(
	tx: Database,
	envelope: EventEnvelope,
	{ apply, consumer, tracer }: ApplyingOptions,
): Promise<Had> {
	const began = performance.now();
	const context = contextOfEffect(envelope, tracer, consumer);
	await runWithSpan(context, () => apply(tx, envelope));
	const seconds = (performance.now() - began) / 1_000;
	return { context, applied: { type: envelope.type, id: envelope.id, seconds } };
}

/** Before a person is erased: what was told of them and waits after a failure is given up, and what came since waits behind it no longer. */
async function passWhatWaits(
	tx: Database,
	{ position, subject }: Delivery,
	{ consumer, now, onError }: ApplyingOptions,
): Promise<void> {
	if (subject === null) return;
	const count = await giveUpSuperseded(tx, { consumer, subject, position, now: now() });
	if (count === 0) return;
	await releaseForgotten(tx, consumer);
	onError(
		new Error(`${count} events are given up: the person is erased`),
		`apply ${authUserDeleted.type} ${position}`,
	);
}

/** What is said of a failure names the request the event goes back to, too; of what is no event nobody knows one. */
function onTrailOf<T>({ body, type }: Delivery, work: () => T): T {
	const envelope = readIfEvent({ body, type });
	return envelope === undefined ? work() : withRequestContext(contextOfEffect(envelope, undefined, ""), work);
}

/** What does not fit its contract holds nothing back: no try would ever succeed. Everything else waits, and its subject with it. */
async function noteFailure(taken: Delivery, error: unknown, options: ApplyingOptions): Promise<void> {
	const { db, now, onError, at } = options;
	const { position, type, attempts } = taken;
	const failures = attempts + 1;
	const isMisfit = error instanceof Misfit;
	const reason = shorten(error instanceof Error ? error.message : String(error));
	onError(error, `apply ${type} ${position}, try ${failures}`);
	options.onFailed?.(type);
	at?.("effect failed");
	if (!isMisfit && failures < triesMax) {
		const until = new Date(now().getTime() + waitAfter(failures));
		await holdDelivery(db, { position, until, reason });
		at?.("delivery parked");
		return;
	}
	at?.("delivery given up");
	await buryDelivery(db, { position, now: now(), reason, holdsOthers: !isMisfit });
	at?.("delivery buried");
}
