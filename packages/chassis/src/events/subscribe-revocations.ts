import { authSessionRevoked } from "@lango/contracts";
import { createRevocations, type Revocations, revocationsKeptMs } from "@lango/tokens";
import { type SubscriptionContext, subscribeWithReplay } from "./subscribe-with-replay.ts";

/**
 * Subscribes each process to sessions that end before their tokens expire, so that their tokens are refused
 * within moments. The service is not ready until it has read the events from before its start. After the bus
 * was unavailable, missed events are read again.
 */
export async function subscribeRevocations(context: SubscriptionContext): Promise<Revocations["isRevoked"]> {
	const revocations = createRevocations({ now: context.now });
	await subscribeWithReplay(context, {
		name: "revocations",
		eventType: authSessionRevoked,
		rememberMs: revocationsKeptMs,
		deliver: ({ data }) => revocations.add(data.session_id),
	});
	return revocations.isRevoked;
}
