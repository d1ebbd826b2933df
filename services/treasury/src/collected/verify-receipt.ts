import { inTenant } from "@lango/postgres";
import { findOwnerId } from "../platform-owner.ts";
import { askGateway, type Question } from "../queries/ask-gateway.ts";
import type { GatewayQuery } from "../queries/query.ts";
import { receiptFailures } from "../receipts/failures.ts";
import { findReceipt } from "../receipts/receipt.store.ts";
import type { Treasury } from "../treasury.ts";

type Verify = { tenantId: string; receiptId: string } & Pick<Question, "createdBy" | "isHint">;

/**
 * Asks the gateway about a receipt that is not verified, for the shortcode that it came to. Its answer
 * comes later, and verifies the receipt, or removes it. Throws `receipt_not_found`, `receipt_verified`
 * and what
 * `askGateway` throws.
 */
export async function verifyReceipt(
	domain: Treasury,
	{ tenantId, receiptId, ...asking }: Verify,
): Promise<GatewayQuery> {
	const receipt = await inTenant(domain.db, tenantId, (tx) => findReceipt(tx, receiptId));
	if (receipt === undefined) throw receiptFailures.receipt_not_found();
	if (receipt.state === "verified" || receipt.receipt === null) throw receiptFailures.receipt_verified();
	return askGateway(domain, {
		...{ ...asking, tenantId, about: { kind: "status", receipt: receipt.receipt } },
		shortcode: receipt.shortcode ?? undefined,
		shortcodeOf: receipt.custody === "platform" ? await findOwnerId(domain) : tenantId,
	});
}
