import type { Database } from "@lango/postgres";
import type { OverageBill, OverageBillLine, OverageBillStatus } from "../rules/lifecycle/overage-bill.ts";

type BillRow = {
	id: string;
	tenant_id: string;
	period_ends_at: Date;
	currency: string;
	charge_minor: bigint;
	balance_minor: bigint;
	amount_minor: bigint;
	lines: Array<{ metric: string; units: string; unitPriceMinor: string; amountMinor: string }>;
	status: OverageBillStatus;
	attempt: number;
	next_step_at: Date | null;
	payment_id: string | null;
	failure: string | null;
	billed_at: Date;
	settled_at: Date | null;
};

const columns = `id, tenant_id, period_ends_at, currency, charge_minor, balance_minor, amount_minor, lines, status, attempt,
	next_step_at, payment_id, failure, billed_at, settled_at`;

function fromRow(row: BillRow): OverageBill {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		periodEndsAt: row.period_ends_at,
		currency: row.currency,
		chargeMinor: row.charge_minor,
		balanceMinor: row.balance_minor,
		amountMinor: row.amount_minor,
		lines: row.lines.map(
			(line): OverageBillLine => ({
				metric: line.metric,
				units: BigInt(line.units),
				unitPriceMinor: BigInt(line.unitPriceMinor),
				amountMinor: BigInt(line.amountMinor),
			}),
		),
		status: row.status,
		attempt: row.attempt,
		nextStepAt: row.next_step_at,
		paymentId: row.payment_id,
		failure: row.failure,
		billedAt: row.billed_at,
		settledAt: row.settled_at,
	};
}

/** Records a bill that was drafted. */
export async function addBill(tx: Database, bill: OverageBill): Promise<void> {
	await tx.query(
		`insert into overage_bills (${columns})
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		[
			bill.id,
			bill.tenantId,
			bill.periodEndsAt,
			bill.currency,
			bill.chargeMinor,
			bill.balanceMinor,
			bill.amountMinor,
			// Amounts beyond the range of JSON numbers are stored as text.
			JSON.stringify(bill.lines, (_name, value) => (typeof value === "bigint" ? String(value) : value)),
			bill.status,
			bill.attempt,
			bill.nextStepAt,
			bill.paymentId,
			bill.failure,
			bill.billedAt,
			bill.settledAt,
		],
	);
}

/** Writes the outcome of a bill. */
export async function writeBill(tx: Database, bill: OverageBill): Promise<void> {
	const { tenantId, id, status, attempt, nextStepAt, paymentId, failure, settledAt } = bill;
	await tx.query(
		`update overage_bills
		    set status = $3, attempt = $4, next_step_at = $5, payment_id = $6, failure = $7, settled_at = $8
		  where tenant_id = $1 and id = $2`,
		[tenantId, id, status, attempt, nextStepAt, paymentId, failure, settledAt],
	);
}

/** A tenant's bill; undefined if not found. */
export async function findBill(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<OverageBill | undefined> {
	const [row] = await tx.query<BillRow>(
		`select ${columns} from overage_bills where tenant_id = $1 and id = $2`,
		[tenantId, id],
	);
	return row && fromRow(row);
}

/** Whether a period of the tenant was billed. */
export async function isBilled(
	tx: Database,
	{ tenantId, periodEndsAt }: { tenantId: string; periodEndsAt: Date },
): Promise<boolean> {
	const rows = await tx.query(
		"select 1 from overage_bills where tenant_id = $1 and period_ends_at = $2 limit 1",
		[tenantId, periodEndsAt],
	);
	return rows.length > 0;
}

/** The tenant's bills with an open payment request, the next step first. */
export async function listRequestedBills(tx: Database, tenantId: string): Promise<OverageBill[]> {
	const rows = await tx.query<BillRow>(
		`select ${columns} from overage_bills where tenant_id = $1 and next_step_at is not null order by next_step_at, id`,
		[tenantId],
	);
	return rows.map(fromRow);
}

/** A position in the list of bills. */
export type BillPlace = { periodEndsAt: Date; id: string };

/** A tenant's bills, latest period first. */
export async function listBills(
	tx: Database,
	{ tenantId, after, max }: { tenantId: string; after: BillPlace | undefined; max: number },
): Promise<OverageBill[]> {
	const rows = await tx.query<BillRow>(
		`select ${columns} from overage_bills
		  where tenant_id = $1 and ($2::timestamptz is null or (period_ends_at, id) < ($2, $3))
		  order by period_ends_at desc, id desc limit $4`,
		[tenantId, after?.periodEndsAt ?? null, after?.id ?? null, max],
	);
	return rows.map(fromRow);
}

/** Records a payment of a bill; false if it was recorded before. */
export async function recordBillPayment(
	tx: Database,
	payment: { id: string; bill: OverageBill; amountMinor: bigint; currency: string; receivedAt: Date },
): Promise<boolean> {
	const { id, bill, amountMinor, currency, receivedAt } = payment;
	const rows = await tx.query(
		`insert into received_payments (id, tenant_id, bill_id, amount_minor, currency, received_at)
		 values ($1, $2, $3, $4, $5, $6)
		 on conflict (tenant_id, id) do nothing
		 returning id`,
		[id, bill.tenantId, bill.id, amountMinor, currency, receivedAt],
	);
	return rows.length === 1;
}

/** Records the reason of the last failure, unless the bill is paid or was requested again since. */
export async function noteBillFailure(
	tx: Database,
	{ tenantId, id, attempt, reason }: { tenantId: string; id: string; attempt: number; reason: string },
): Promise<void> {
	await tx.query(
		`update overage_bills set failure = $4
		  where tenant_id = $1 and id = $2 and attempt <= $3 and status <> 'paid'`,
		[tenantId, id, attempt, reason],
	);
}
