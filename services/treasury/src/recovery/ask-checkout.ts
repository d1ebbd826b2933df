import { saidByTransaction } from "../gateways/card-gateway/said-by-charge.ts";
import { verifyTransaction } from "../gateways/card-gateway/transactions.ts";
import type { Gateways } from "../gateways/open-gateways.ts";
import type { Said } from "../outcomes/evidence.ts";
import type { Attempt } from "../payments/attempt.ts";
import type { Treasury } from "../treasury.ts";

/** What the card gateway says about a reference; `said` is undefined while the payment has no end. */
export type Verified = { said: Said | undefined };

/**
 * Asks the card gateway about a reference of ours. Returns undefined if it is not configured or did not
 * answer.
 */
export async function verifyReference(
	gateways: Pick<Gateways, "findCardGateway">,
	reference: string,
): Promise<Verified | undefined> {
	const gateway = await gateways.findCardGateway();
	if (gateway === undefined) return undefined;
	const answer = await verifyTransaction(gateway, reference);
	if (answer.is === "refused" && answer.code === "not_found") return { said: undefined };
	if (answer.is !== "accepted") return undefined;
	return { said: answer.ids.reference === reference ? saidByTransaction(answer.ids) : undefined };
}

/**
 * Asks the card gateway what became of a checkout. Returns undefined while it is not known, or the gateway
 * did not answer. One that was not paid in its time has expired.
 */
export async function askCheckout(
	{ gateways, now }: Pick<Treasury, "gateways" | "now">,
	{ reference, expiresAt }: Pick<Attempt, "reference" | "expiresAt">,
): Promise<Said | undefined> {
	const verified = await verifyReference(gateways, reference);
	if (verified === undefined) return undefined;
	return verified.said ?? (expiresAt <= now() ? { kind: "expired" } : undefined);
}
