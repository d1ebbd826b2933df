import type { MobileMoney } from "../gateways/mobile-money/account.ts";
import { findOwnerId } from "../platform-owner.ts";
import type { Receipt } from "../receipts/receipt.ts";
import type { Treasury } from "../treasury.ts";

/**
 * Opens the shortcode that received money: the tenant's, also one that it had before, or the platform's.
 * Undefined if it is not configured any more.
 */
export async function findShortcode(
	domain: Treasury,
	{ tenantId, custody, shortcode }: Receipt,
): Promise<MobileMoney | undefined> {
	const holderId = custody === "platform" ? await findOwnerId(domain) : tenantId;
	return domain.gateways.findMobileMoney(holderId, shortcode ?? undefined);
}
