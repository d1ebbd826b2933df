import { authSessionRevoked } from "@lango/contracts";
import { createRevocations, type Revocations, revocationsKeptMs } from "@lango/tokens";
import { type Hearing, hearAgain } from "./hear-again.ts";

/**
 * Hears of sessions that end before their tokens do, so that the tokens are refused here, too, within moments. Every
 * process hears for itself: what is remembered is its own. The service is not ready before it has read what was told while
 * it was not there; what it may have missed while the bus was away it reads again.
 */
export async function hearRevocations(context: Hearing): Promise<Revocations["isRevoked"]> {
	const revocations = createRevocations({ now: context.now });
	await hearAgain(context, {
		name: "revocations",
		eventType: authSessionRevoked,
		rememberMs: revocationsKeptMs,
		deliver: ({ data }) => revocations.add(data.session_id),
	});
	return revocations.isRevoked;
}
