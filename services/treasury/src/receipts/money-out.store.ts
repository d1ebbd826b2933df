import { uuidV7 } from "@lango/events";
import { currentTenant, type Database } from "@lango/postgres";
import type { Moved, Receipt } from "./receipt.ts";

/** Money that a gateway says left, or came back, with the number that it gave the movement. */
export type MoneyOut = Pick<
	Receipt,
	"tenantId" | "gateway" | "shortcode" | "channel" | "custody" | "amountMinor" | "currency" | "occurredAt"
> & {
	kind: "payout" | "reversal";
	receipt: string;
	moved: Moved;
	now: Date;
};

/**
 * Records the receipt of a payout or refund, once for each kind: the same statement again changes nothing. It
 * pays nothing, so that all of it counts as used. Call it inside the tenant.
 */
export async function recordMoneyOut(tx: Database, out: MoneyOut): Promise<void> {
	await tx.query(
		`insert into receipts (tenant_id, id, gateway, kind, receipt, shortcode, channel, custody, amount_minor, allocated_minor, currency,
		   occurred_at, state, created_at, object_kind, object_id)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, 'verified', $12, $13, $14)
		 on conflict do nothing`,
		[
			...[out.tenantId, uuidV7(out.now), out.gateway, out.kind, out.receipt, out.shortcode, out.channel],
			...[out.custody, out.amountMinor, out.currency, out.occurredAt, out.now, out.moved.kind, out.moved.id],
		],
	);
}

/**
 * Finds the payout or refund whose movement the mobile-money gateway gave a number. Call it inside the
 * tenant.
 */
export async function findMoved(
	tx: Database,
	{ kind, receipt }: { kind: Moved["kind"]; receipt: string },
): Promise<string | undefined> {
	const [row] = await tx.query<{ object_id: string }>(
		`select object_id from receipts
		  where tenant_id = $3 and gateway = 'mobile_money' and receipt = $1 and kind in ('payout', 'reversal') and object_kind = $2 limit 1`,
		[receipt, kind, currentTenant(tx)],
	);
	return row?.object_id;
}
