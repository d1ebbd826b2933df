import type { Database } from "@lango/postgres";

type Returning = { tenantId: string; operationId: string };

async function isPaymentReceived(tx: Database, { tenantId, operationId }: Returning): Promise<boolean> {
	const rows = await tx.query(
		"select from received_payments where tenant_id = $1 and (operation_id = $2 or bill_id = $2) limit 1",
		[tenantId, operationId],
	);
	return rows.length > 0;
}

/** What the treasury says was returned of the payment of an operation or a bill, in all. */
export type ReturnedPayment = Returning & { returnedMinor: bigint; now: Date };

type Row = { returned_minor: bigint; waiting_minor: bigint };

const find = async (tx: Database, { tenantId, operationId }: Returning): Promise<Row> => {
	const [row] = await tx.query<Row>(
		"select returned_minor, waiting_minor from returned_payments where tenant_id = $1 and operation_id = $2",
		[tenantId, operationId],
	);
	return {
		returned_minor: BigInt(row?.returned_minor ?? 0n),
		waiting_minor: BigInt(row?.waiting_minor ?? 0n),
	};
};

/**
 * Records what was returned of a payment, and returns what of it is settled now; 0 for a repetition, or for
 * an older report. Before the payment is received it waits: the events of both have different subjects. Call
 * it with the subscription locked.
 */
export async function recordReturned(
	tx: Database,
	{ returnedMinor, now, ...returning }: ReturnedPayment,
): Promise<bigint> {
	const { returned_minor: before, waiting_minor: waiting } = await find(tx, returning);
	const grown = returnedMinor > before ? returnedMinor - before : 0n;
	const openMinor = waiting + grown;
	if (openMinor === 0n) return 0n;
	const isReceived = await isPaymentReceived(tx, returning);
	await tx.query(
		`insert into returned_payments as r (tenant_id, operation_id, returned_minor, returned_at, waiting_minor)
		 values ($1, $2, $3, $4, $5)
		 on conflict (tenant_id, operation_id) do update set returned_minor = excluded.returned_minor,
		   returned_at = excluded.returned_at, waiting_minor = excluded.waiting_minor`,
		[returning.tenantId, returning.operationId, before + grown, now, isReceived ? 0n : openMinor],
	);
	return isReceived ? openMinor : 0n;
}

/**
 * Returns what was returned in all of a payment that was not received when its return was reported;
 * undefined: nothing waits. Call it inside the tenant.
 */
export async function findWaitingReturn(tx: Database, returning: Returning): Promise<bigint | undefined> {
	const { returned_minor, waiting_minor } = await find(tx, returning);
	return waiting_minor > 0n ? returned_minor : undefined;
}

/** The end of the period that an operation paid for; null: it paid for none. Call it inside the tenant. */
export async function findPaidUntil(
	tx: Database,
	{ tenantId, operationId }: Returning,
): Promise<Date | null> {
	const [row] = await tx.query<{ ends_at: Date }>(
		"select ends_at from paid_lines where tenant_id = $1 and operation_id = $2",
		[tenantId, operationId],
	);
	return row?.ends_at ?? null;
}
