import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { fetchDispute } from "../../gateways/card-gateway/disputes.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { applyStatedDispute } from "../../outcomes/apply-stated-dispute.ts";
import type { Treasury } from "../../treasury.ts";

type Asking = Pick<Treasury, "db" | "now">;

/**
 * Asks the card gateway about a dispute by its id, and applies what it says. One that it does not know, or
 * about which it cannot be asked, stays as it is. Returns whether the gateway answered.
 */
export async function askAboutDispute(
	{ db, now }: Asking,
	gateway: CardGateway,
	gatewayId: string,
): Promise<boolean> {
	if (!gateway.profile.settings.capabilities.list_disputes) return true;
	const answer = await fetchDispute(gateway, gatewayId);
	if (answer.is !== "accepted") return answer.is === "refused" && answer.code === "not_found";
	const stated = answer.ids;
	if (stated.dispute.gatewayId !== gatewayId) return true;
	const about = { source: "query", sourceId: undefined, at: now() } as const;
	await retryConflicts(() => db.transaction((tx) => applyStatedDispute(tx, { stated, ...about })));
	return true;
}
