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
	const [settled] = await db.query<{ arriving: string; is_paid_to: boolean }>(
		`select coalesce(sum(effective_minor) filter (
		          where currency = $1 and (state = 'announced' or listed_at is null)), 0)::bigint as arriving,
		        count(*) > 0 as is_paid_to
		   from settlements where settles_to = 'balance'`,
		[currency],
	);
	const isPaidTo = settled?.is_paid_to === true;
	const leaving = await acrossTenants(db, (tx) =>
		tx.query<{ sum: string }>(
			`select coalesce(sum(gross_minor), 0)::bigint as sum from payouts
			  where ended_at is null and rail = 'card_gateway' and currency = $1
			    and status in ('submitting', 'unknown', 'needs_otp', 'in_flight')
			 union all
			 select coalesce(sum(amount_minor), 0)::bigint from refunds
			  where $2 and method = 'card' and currency = $1 and status <> 'requested' and ended_at is null`,
			[currency, isPaidTo],
		),
	);
	const [failed] = await db.query<{ sum: string }>(
		`select coalesce(sum(amount_minor), 0)::bigint as sum from exceptions
		  where class = 'status' and state = 'open' and currency = $1 and starts_with(subject, $2)`,
		[currency, failedTransfer],
	);
	return {
		leavingMinor: leaving.reduce((sum, one) => sum + BigInt(one.sum), 0n),
		arrivingMinor: BigInt(settled?.arriving ?? 0) + BigInt(failed?.sum ?? 0),
	};
}

/**
 * Whether a prompt or a reversal through the platform's shortcode is open, or a receipt of it was counted, or
 * such a reversal ended, since a moment.
 */
export async function isFloatMoving(
	db: Database,
	{ shortcode, since }: { shortcode: string; since: Date },
): Promise<boolean> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query(
			`select 1 as found from attempts
			  where shortcode = $1 and custody = 'platform' and status in ('new', 'submitting', 'awaiting', 'unknown')
			 union all
			 select 1 from receipts
			  where shortcode = $1 and custody = 'platform' and state = 'verified' and created_at >= $2
			 union all
			 select 1 from refunds f join receipts r on r.tenant_id = f.tenant_id and r.id = f.receipt_id
			  where r.shortcode = $1 and r.custody = 'platform' and f.submitted_at is not null
			    and (f.ended_at is null or f.ended_at >= $2)
			 limit 1`,
			[shortcode, since],
		),
	);
	return rows.length > 0;
}
