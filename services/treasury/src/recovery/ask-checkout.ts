import { saidByTransaction } from "../gateways/card-gateway/said-by-charge.ts";
import { verifyTransaction } from "../gateways/card-gateway/transactions.ts";
import type { Said } from "../outcomes/evidence.ts";
import type { Attempt } from "../payments/attempt.ts";
import type { Treasury } from "../treasury.ts";

/**
 * Asks the card gateway what became of a checkout. Returns undefined while it is not known, or the gateway
 * did not answer. One that was not paid in its time has expired.
 */
export async function askCheckout(
	{ gateways, now }: Pick<Treasury, "gateways" | "now">,
	{ reference, expiresAt }: Pick<Attempt, "reference" | "expiresAt">,
): Promise<Said | undefined> {
	const gateway = await gateways.findCardGateway();
	if (gateway === undefined) return undefined;
	const answer = await verifyTransaction(gateway, reference);
	const isUnknown = answer.is === "refused" && answer.code === "not_found";
	if (answer.is !== "accepted" && !isUnknown) return undefined;
	const said =
		answer.is === "accepted" && answer.ids.reference === reference
			? saidByTransaction(answer.ids)
			: undefined;
	return said ?? (expiresAt <= now() ? { kind: "expired" } : undefined);
}
