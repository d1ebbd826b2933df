import type { UsageEvent } from "@lango/contracts";
import { withoutRequestContext } from "@lango/tracing";
import { EntitlementsUnavailable } from "./ask.ts";
import { UsageRefused } from "./call-usage.ts";

/** Reports that were given up, and why: they are counted nowhere. */
export type DroppedReports = { tenantId: string; events: readonly UsageEvent[]; reason: unknown };

/** Reports that wait on, because the subscription service gave no answer. */
export type DelayedReports = { waiting: number; pauseMs: number; reason: unknown };

export type UsageQueueOptions = {
	/** Sends some of one tenant's events, with the same ids each time. */
	send: (tenantId: string, events: readonly UsageEvent[]) => Promise<unknown>;
	/** Told of reports that were refused for good, and of those still waiting at the end. */
	onDropped: (dropped: DroppedReports) => void;
	/** Told each time that something could not be sent: how many events wait on, and for how long before the next try. */
	onDelayed?: (delayed: DelayedReports) => void;
	/** Events that wait, at most. */
	waitingMax: number;
	/** How long events are gathered, and the first pause after a failure. */
	intervalMs: number;
};

/** Events that wait to be reported, in their order by tenant. */
export type UsageQueue = {
	/** False when the queue is full: then the event was not taken. */
	add(tenantId: string, event: UsageEvent): boolean;
	/** Sends what waits now, one tenant's whatever became of another's; what fails waits on. Throws EntitlementsUnavailable when it could not be sent. */
	flush(): Promise<void>;
	/** Sends what it can within the time and gives up the rest. */
	stop(withinMs: number): Promise<void>;
	readonly waiting: number;
};

export const batchMax = 100;
const pauseMaxMs = 60_000;
/** When so many tenants in a row get no answer, nobody does. */
const unansweredMax = 3;
/** Halves may be counted where the whole was refused: one event was wrong, or all together were too large. */
const mayBeHalved: ReadonlySet<number> = new Set([400, 413]);

/**
 * Sends some of a tenant's events, halving them when one is wrong or all are too large. Tells `onDropped` what was refused for
 * good; rejects when the rest got no answer.
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
 * Sends what waits of each tenant. One whose events get no answer comes last from then on, so that the next try begins with
 * the others. Throws the first reason.
 */
async function sendInTurn(
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
 * Gathers events and sends them by tenant, a hundred at most, one request at a time. What gets no answer is sent again
 * with the same ids after pauses that grow until somebody is answered, so it is counted once, and holds up no other
 * tenant's; what is refused is halved until the wrong one is found.
 */
export function queueUsage(options: UsageQueueOptions): UsageQueue {
	const { send, onDropped, onDelayed, waitingMax, intervalMs } = options;
	const byTenant = new Map<string, UsageEvent[]>();
	let waiting = 0;
	let answered = 0;
	let pauseMs = intervalMs;
	let timer: NodeJS.Timeout | undefined;
	let underWay: Promise<void> | undefined;
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
		underWay ??= sendInTurn(byTenant, sendAllOf).finally(() => {
			underWay = undefined;
		});
		return underWay;
	};
	/** Until nothing waits, what came while something was sent included. Throws when something got no answer. */
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
		// What is sent is of many requests, so not on the trail of the one that happened to come first.
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
