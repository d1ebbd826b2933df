import { saidByTransfer } from "../gateways/card-gateway/said-by-transfer.ts";
import { verifyTransfer } from "../gateways/card-gateway/transfers.ts";
import type { Gateways } from "../gateways/open-gateways.ts";
import type { PayoutSaid } from "../outcomes/evidence/payout-evidence.ts";

/**
 * Asks the card gateway about the transfer of a payout. Returns `missing` if it has none with the
 * reference, and undefined if it is not configured or did not answer.
 */
export async function verifyPayout(
	{ gateways }: { gateways: Pick<Gateways, "findCardGateway"> },
	reference: string,
): Promise<PayoutSaid | "missing" | undefined> {
	const gateway = await gateways.findCardGateway();
	if (gateway === undefined) return undefined;
	const answer = await verifyTransfer(gateway, reference);
	if (answer.is === "refused" && answer.code === "not_found") return "missing";
	if (answer.is !== "accepted" || answer.ids.reference !== reference) return undefined;
	return saidByTransfer(answer.ids);
}
