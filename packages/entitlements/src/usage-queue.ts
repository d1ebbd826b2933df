import type { UsageEvent } from "@lango/contracts";
import { withoutRequestContext } from "@lango/tracing";
import { EntitlementsUnavailable } from "./ask.ts";
import { UsageRefused } from "./call-usage.ts";

/** Reports that were given up, with the reason. They are not counted. */
export type DroppedReports = { tenantId: string; events: readonly UsageEvent[]; reason: unknown };

/** Reports that keep waiting, because the subscription service did not respond. */
export type DelayedReports = { waiting: number; pauseMs: number; reason: unknown };

export type UsageQueueOptions = {
	/** Sends events of one tenant. A retry has the same ids. */
	send: (tenantId: string, events: readonly UsageEvent[]) => Promise<unknown>;
	/** Called with reports that were refused for good, and with those that still wait at the stop. */
	onDropped: (dropped: DroppedReports) => void;
	/**
	 * Called after each failed attempt with the number of waiting events and the pause before the next attempt.
	 */
	onDelayed?: (delayed: DelayedReports) => void;
	/** The maximum number of waiting events. */
	waitingMax: number;
	/** How long events are collected before they are sent; also the first pause after a failure. */
	intervalMs: number;
};

/** The events that wait to be sent, in order by tenant. */
export type UsageQueue = {
	/** Adds an event. Returns false if the queue is full; the event was not added then. */
	add(tenantId: string, event: UsageEvent): boolean;
	/**
	 * Sends all waiting events, for each tenant independently. Failed ones keep waiting. Throws
	 * EntitlementsUnavailable if some could not be sent.
	 */
	flush(): Promise<void>;
	/** Sends what it can within the time and drops the rest. */
	stop(withinMs: number): Promise<void>;
	readonly waiting: number;
};

export const batchMax = 100;
const pauseMaxMs = 60_000;
/** After this many tenants in a row without a response, the service is considered unavailable. */
const unansweredMax = 3;
/** The statuses after which a batch is halved: one event may be invalid, or the batch too large. */
const mayBeHalved: ReadonlySet<number> = new Set([400, 413]);

/**
 * Sends events of a tenant, and halves the batch while one event is invalid or the batch is too large. Calls
 * `onDropped` with events that were refused for good. Rejects if the rest got no response.
 */
export async function sendHalving(
	options: Pick<UsageQueueOptions, "send" | "onDropped">,
	tenantId: string,
	events: readonly UsageEvent[],
): Promise<void> {
	try {
		await options.send(tenantId, events);
	} catch (reason) {
		if (!(reason instanceof UsageRefused)) throw reason;
		if (events.length === 1 || !mayBeHalved.has(reason.status)) {
			options.onDropped({ tenantId, events, reason });
			return;
		}
		const half = Math.ceil(events.length / 2);
		await sendHalving(options, tenantId, events.slice(0, half));
		await sendHalving(options, tenantId, events.slice(half));
	}
}

/**
 * Sends the waiting events of each tenant. A tenant without a response moves to the end, so that the next
 * attempt begins with the others. Throws the first error.
 */
async function sendByTenant(
	byTenant: Map<string, UsageEvent[]>,
	sendAllOf: (tenantId: string, events: UsageEvent[]) => Promise<void>,
): Promise<void> {
	const reasons: unknown[] = [];
	let inARow = 0;
	for (const [tenantId, events] of [...byTenant]) {
		const reason = await sendAllOf(tenantId, events).then(() => undefined, asReason);
		inARow = reason === undefined ? 0 : inARow + 1;
		if (reason === undefined) continue;
		reasons.push(reason);
		if (byTenant.delete(tenantId)) byTenant.set(tenantId, events);
		if (inARow === unansweredMax) break;
	}
	if (reasons.length > 0) throw reasons[0];
}

/**
 * Collects events and sends them by tenant, at most a hundred per request and one request at a time. Events
 * without a response are sent again with the same ids after growing pauses, so they are counted once, and do
 * not delay other tenants. Refused batches are halved until the invalid event is found.
 */
export function queueUsage(options: UsageQueueOptions): UsageQueue {
	const { send, onDropped, onDelayed, waitingMax, intervalMs } = options;
	const byTenant = new Map<string, UsageEvent[]>();
	let waiting = 0;
	let answered = 0;
	let pauseMs = intervalMs;
	let timer: NodeJS.Timeout | undefined;
	let inFlight: Promise<void> | undefined;
	let isStopped = false;

	const sendAllOf = async (tenantId: string, events: UsageEvent[]) => {
		while (events.length > 0) {
			const batch = events.slice(0, batchMax);
			await sendHalving({ send, onDropped }, tenantId, batch);
			events.splice(0, batch.length);
			waiting -= batch.length;
			answered += 1;
		}
		byTenant.delete(tenantId);
	};
	const flush = () => {
		inFlight ??= sendByTenant(byTenant, sendAllOf).finally(() => {
			inFlight = undefined;
		});
		return inFlight;
	};
	/**
	 * Sends until nothing waits, including events added meanwhile. Throws an Error if some got no response.
	 */
	const drain = async () => {
		while (waiting > 0) await flush();
	};
	const sendInTime = async () => {
		timer = undefined;
		const before = answered;
		try {
			await flush();
			pauseMs = intervalMs;
		} catch (reason) {
			pauseMs = answered > before ? intervalMs : Math.min(pauseMs * 2, pauseMaxMs);
			onDelayed?.({ waiting, pauseMs, reason });
		}
		if (waiting > 0) schedule();
	};
	const schedule = () => {
		if (isStopped || timer !== undefined) return;
		// A batch contains events of many requests, so it has no request context.
		timer = withoutRequestContext(() => setTimeout(sendInTime, pauseMs));
		timer.unref();
	};
	return {
		add(tenantId, event) {
			if (isStopped || waiting >= waitingMax) return false;
			const events = byTenant.get(tenantId) ?? [];
			events.push(event);
			byTenant.set(tenantId, events);
			waiting += 1;
			schedule();
			return true;
		},
		flush,
		async stop(withinMs) {
			isStopped = true;
			clearTimeout(timer);
			const late = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
			const reason = await Promise.race([drain().then(() => undefined, asReason), late.then(() => tooLate)]);
			if (reason === undefined) return;
			for (const [tenantId, events] of byTenant) onDropped({ tenantId, events: [...events], reason });
			byTenant.clear();
			waiting = 0;
		},
		get waiting() {
			return waiting;
		},
	};
}

const asReason = (error: unknown): unknown => error;
const tooLate = new EntitlementsUnavailable(new Error("not sent before the end"));
