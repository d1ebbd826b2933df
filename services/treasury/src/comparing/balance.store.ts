import { acrossTenants, type Database } from "@lango/postgres";
import { failedTransfer } from "../payouts/payout.ts";

/** Returns what the ledger has in an account of the platform. */
export async function platformBalanceOf(
	db: Database,
	{ code, currency }: { code: string; currency: string },
): Promise<bigint> {
	const [row] = await db.query<{ balance: bigint }>(
		"select balance_minor as balance from platform_balances() where code = $1 and currency = $2",
		[code, currency],
	);
	return BigInt(row?.balance ?? 0n);
}

/** Money whose change of the transfer balance one side may have before the other. */
export type Moving = {
	/** Of transfers and refunds that are sent and have not ended. */
	leavingMinor: bigint;
	/** Of settlements to the balance that are not posted, and transfers that failed after they were booked. */
	arrivingMinor: bigint;
};

/** Returns what is about to leave the transfer balance at most, and to arrive there. */
export async function findMoving(db: Database, currency: string): Promise<Moving> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ leaving: string; arriving: string }>(
			`select (select coalesce(sum(gross_minor), 0) from payouts
			          where ended_at is null and rail = 'card_gateway' and currency = $1
			            and status in ('submitting', 'unknown', 'needs_otp', 'in_flight'))
			      + (select coalesce(sum(f.amount_minor), 0) from refunds f
			          where f.method = 'card' and f.currency = $1 and f.status <> 'requested' and f.ended_at is null
			            and exists (select from settlements where settles_to = 'balance')) as leaving,
			        (select coalesce(sum(effective_minor), 0) from settlements
			          where settles_to = 'balance' and currency = $1 and (state = 'announced' or listed_at is null)) as arriving`,
			[currency],
		),
	);
	const [failed] = await db.query<{ sum: string }>(
		`select coalesce(sum(amount_minor), 0)::bigint as sum from exceptions
		  where class = 'status' and state = 'open' and currency = $1 and starts_with(subject, $2)`,
		[currency, failedTransfer],
	);
	const arrivingMinor = BigInt(row?.arriving ?? 0) + BigInt(failed?.sum ?? 0);
	return { leavingMinor: BigInt(row?.leaving ?? 0), arrivingMinor };
}

/**
 * Whether a prompt or a reversal through the platform's shortcode is open, or a receipt of it was counted, or
 * such a reversal ended, since a moment.
 */
export async function isFloatMoving(
	db: Database,
	{ shortcode, since }: { shortcode: string; since: Date },
): Promise<boolean> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ is_moving: boolean }>(
			`select exists (select from attempts
			                 where shortcode = $1 and custody = 'platform' and status in ('new', 'submitting', 'awaiting', 'unknown'))
			     or exists (select from receipts
			                 where shortcode = $1 and custody = 'platform' and state = 'verified' and created_at >= $2)
			     or exists (select from refunds f join receipts r on r.tenant_id = f.tenant_id and r.id = f.receipt_id
			                 where r.shortcode = $1 and r.custody = 'platform' and f.submitted_at is not null
			                   and (f.ended_at is null or f.ended_at >= $2)) as is_moving`,
			[shortcode, since],
		),
	);
	return row?.is_moving === true;
}
