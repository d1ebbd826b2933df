import type { Database } from "@lango/postgres";
import type { AmountLine, OperationKind, OperationStatus } from "../rules/money/operation.ts";

/** An operation as its tenant sees it. */
export type Payment = {
	id: string;
	kind: OperationKind;
	status: OperationStatus;
	/** Code of the plan that is paid for. */
	plan: string;
	amountMinor: bigint;
	currency: string;
	lines: readonly AmountLine[];
	attempt: number;
	failure: string | null;
	closedBecause: string | null;
	requestedAt: Date;
	settledAt: Date | null;
};

type PaymentRow = Omit<Payment, "amountMinor" | "lines" | "closedBecause" | "requestedAt" | "settledAt"> & {
	closed_because: string | null;
	amount_minor: bigint;
	lines: Array<Omit<AmountLine, "amountMinor"> & { amountMinor: string }>;
	requested_at: Date;
	settled_at: Date | null;
};

const columns = `o.id, o.kind, o.status, v.plan_code as plan, o.amount_minor, o.currency, o.lines, o.attempt, o.failure, o.closed_because,
	o.requested_at, o.settled_at`;

/** A place in the list of payments. */
export type PaymentPlace = { requestedAt: Date; id: string };

/** A tenant's payments, latest first. */
export async function listPayments(
	tx: Database,
	{ tenantId, after, max }: { tenantId: string; after: PaymentPlace | undefined; max: number },
): Promise<Payment[]> {
	const rows = await tx.query<PaymentRow>(
		`select ${columns}
		   from billing_operations o join plan_versions v on v.id = o.plan_version_id
		  where o.tenant_id = $1 and ($2::timestamptz is null or (o.requested_at, o.id) < ($2, $3))
		  order by o.requested_at desc, o.id desc limit $4`,
		[tenantId, after?.requestedAt ?? null, after?.id ?? null, max],
	);
	return rows.map(fromRow);
}

/** One payment; undefined if not found. */
export async function findPayment(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<Payment | undefined> {
	const [row] = await tx.query<PaymentRow>(
		`select ${columns}
		   from billing_operations o join plan_versions v on v.id = o.plan_version_id
		  where o.tenant_id = $1 and o.id = $2`,
		[tenantId, id],
	);
	return row && fromRow(row);
}

function fromRow({
	amount_minor,
	lines,
	closed_because,
	requested_at,
	settled_at,
	...row
}: PaymentRow): Payment {
	return {
		...row,
		closedBecause: closed_because,
		amountMinor: amount_minor,
		lines: lines.map(({ amountMinor, ...line }) => ({ ...line, amountMinor: BigInt(amountMinor) })),
		requestedAt: requested_at,
		settledAt: settled_at,
	};
}
