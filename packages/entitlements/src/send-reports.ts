import type { UsageEvent } from "@lango/contracts";
import { UsageRefused } from "./call-usage.ts";

/** Reports that were refused for good, with the reason. They are not counted. */
export type DroppedReports = { tenantId: string; events: readonly UsageEvent[]; reason: unknown };

type Sending = {
	/** Sends events of one tenant. A retry has the same ids. */
	send: (tenantId: string, events: readonly UsageEvent[]) => Promise<unknown>;
	onDropped: (dropped: DroppedReports) => void;
};

const batchMax = 100;
/** The statuses after which a batch is halved: one event may be invalid, or the batch too large. */
const mayBeHalved: ReadonlySet<number> = new Set([400, 413]);

/**
 * Sends events of a tenant, at most a hundred per request, and halves a batch while one event is invalid or
 * the batch is too large. Calls `onDropped` with events that were refused for good. Rejects if a request got
 * no response.
 */
export async function sendReports(
	sending: Sending,
	tenantId: string,
	events: readonly UsageEvent[],
): Promise<void> {
	for (let from = 0; from < events.length; from += batchMax)
		await sendHalving(sending, tenantId, events.slice(from, from + batchMax));
}

async function sendHalving(sending: Sending, tenantId: string, events: readonly UsageEvent[]): Promise<void> {
	try {
		await sending.send(tenantId, events);
	} catch (reason) {
		if (!(reason instanceof UsageRefused)) throw reason;
		if (events.length === 1 || !mayBeHalved.has(reason.status)) {
			sending.onDropped({ tenantId, events, reason });
			return;
		}
		const half = Math.ceil(events.length / 2);
		await sendHalving(sending, tenantId, events.slice(0, half));
		await sendHalving(sending, tenantId, events.slice(half));
	}
}
