import { notificationsBillingRequested } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { failures } from "../failures.ts";
import { type CreditPack, findPack } from "./pack.store.ts";
import { recordTopUp, type TopUp } from "./top-up.store.ts";

/** How long a purchase waits for its payment. */
const openMs = 24 * 3_600_000;

/** What a pack contains and costs, as the buyer saw it; undefined is not compared. */
type Seen = {
	segments: number | undefined;
	priceMinor: number | undefined;
	currency: string | undefined;
};
type Requested = {
	tenantId: string;
	tenantSlug: string;
	pack: string;
	seen: Seen;
	requestedBy: string;
	now: Date;
};

/**
 * Records a purchase of SMS credit and publishes `notifications.billing.requested`. The service that collects
 * payments answers with an event about the operation. One purchase of a tenant is open at a time. Call it
 * inside the tenant. Throws `pack_unknown`, `pack_changed` or `top_up_open`.
 */
export async function requestTopUp(
	tx: Database,
	{ tenantId, tenantSlug, pack: code, seen, requestedBy, now }: Requested,
): Promise<TopUp> {
	const pack = await findPack(tx, code);
	if (pack === undefined) throw failures.pack_unknown({ fields: { field: "pack", in: "body" } });
	if (!isAsSeen(pack, seen)) throw failures.pack_changed();
	const { segments, priceMinor: amountMinor, currency } = pack;
	const expiresAt = new Date(now.getTime() + openMs);
	const topUp = await recordTopUp(
		tx,
		{ tenantId, pack: code, segments, amountMinor, currency, requestedBy, expiresAt },
		now,
	);
	if (topUp === undefined) throw failures.top_up_open();
	await recordEvent(tx, notificationsBillingRequested, {
		...{ subject: topUp.id, tenantId, tenantSlug, now },
		data: {
			...{ operation_id: topUp.id, tenant_id: tenantId, kind: "top_up", attempt: 1 },
			...{ amount_minor: amountMinor, currency, expires_at: expiresAt.toISOString() },
			lines: [{ what: "sms_credit", code, amount_minor: amountMinor }],
		},
	});
	return topUp;
}

const isAsSeen = (pack: CreditPack, seen: Seen): boolean =>
	pack.segments === (seen.segments ?? pack.segments) &&
	pack.priceMinor === (seen.priceMinor ?? pack.priceMinor) &&
	pack.currency === (seen.currency ?? pack.currency);
