import { inTenant } from "@lango/postgres";
import type { MobileMoney } from "../gateways/mobile-money/account.ts";
import { isOwnShortcode } from "../gateways/shortcodes/tenant-gateway.store.ts";
import { findOwnerId } from "../platform-owner.ts";
import type { Receipt } from "../receipts/receipt.ts";
import type { Treasury } from "../treasury.ts";

type Received = Pick<Receipt, "tenantId" | "custody" | "shortcode">;

/** Returns the tenant whose shortcode received money: the platform owner for what is paid to the platform. */
export async function findHolderId(
	domain: Treasury,
	{ tenantId, custody }: Pick<Received, "tenantId" | "custody">,
): Promise<string> {
	return custody === "platform" ? findOwnerId(domain) : tenantId;
}

/**
 * Opens the shortcode that received money: the tenant's, also one that it had before, or the platform's.
 * Undefined if it is not configured any more.
 */
export async function findShortcode(domain: Treasury, received: Received): Promise<MobileMoney | undefined> {
	const holderId = await findHolderId(domain, received);
	return domain.gateways.findMobileMoney(holderId, received.shortcode ?? undefined);
}

/** Whether the gateway can be asked about what the shortcode that received money returned. */
export async function canAskAbout(domain: Treasury, received: Received): Promise<boolean> {
	const holderId = await findHolderId(domain, received);
	return inTenant(domain.db, holderId, (tx) => isOwnShortcode(tx, received.shortcode));
}
