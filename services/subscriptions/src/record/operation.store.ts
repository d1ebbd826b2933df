import type { Database } from "@lango/postgres";
import type { AmountLine, Operation, OperationKind, OperationStatus } from "../rules/money/operation.ts";
import {
	type AddOnVersionRow,
	addOnsWithTerms,
	type PlanVersionRow,
	planWithTerms,
	readAddOn,
	readPlan,
} from "./plan.store.ts";

/** The tenant's open operations; with `id` also that operation in any status. */
export async function listOperations(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id?: string | undefined },
): Promise<Operation[]> {
	const rows = await tx.query<OperationRow>(
		`select id, kind, status, ${planWithTerms("plan_version_id")} as plan,
		        case when add_on_version_ids is not null then ${addOnsWithTerms("add_on_version_ids")} end as add_ons,
		        carried_minor, from_plan_version_id, from_period_ends_at,
		        charge_minor, credit_minor, balance_minor, amount_minor, currency, lines, attempt, payment_id, failure, closed_because,
		        quoted_at, requested_at, ends_at, settled_at
		   from billing_operations
		  where tenant_id = $1 and (status = 'requested' or id = $2)`,
		[tenantId, id ?? null],
	);
	return rows.map(fromRow);
}

type OperationRow = {
	id: string;
	kind: OperationKind;
	status: OperationStatus;
	plan: PlanVersionRow;
	add_ons: AddOnVersionRow[] | null;
	carried_minor: bigint;
	from_plan_version_id: string;
	from_period_ends_at: Date | null;
	charge_minor: bigint;
	credit_minor: bigint;
	balance_minor: bigint;
	amount_minor: bigint;
	currency: string;
	lines: Array<Omit<AmountLine, "amountMinor"> & { amountMinor: string }>;
	attempt: number;
	payment_id: string | null;
	failure: string | null;
	closed_because: string | null;
	quoted_at: Date | null;
	requested_at: Date;
	ends_at: Date | null;
	settled_at: Date | null;
};

function fromRow(row: OperationRow): Operation {
	return {
		id: row.id,
		kind: row.kind,
		status: row.status,
		plan: readPlan(row.plan),
		addOns: row.add_ons?.map(readAddOn) ?? null,
		carriedMinor: row.carried_minor,
		fromPlanVersionId: row.from_plan_version_id,
		fromPeriodEndsAt: row.from_period_ends_at,
		chargeMinor: row.charge_minor,
		creditMinor: row.credit_minor,
		balanceMinor: row.balance_minor,
		amountMinor: row.amount_minor,
		currency: row.currency,
		lines: row.lines.map(({ amountMinor, ...line }) => ({ ...line, amountMinor: BigInt(amountMinor) })),
		attempt: row.attempt,
		paymentId: row.payment_id,
		failure: row.failure,
		closedBecause: row.closed_because,
		quotedAt: row.quoted_at,
		requestedAt: row.requested_at,
		endsAt: row.ends_at,
		settledAt: row.settled_at,
	};
}

/** Writes an operation or its outcome. Write a settled operation before opening another. */
export async function writeOperation(
	tx: Database,
	{ tenantId, operation }: { tenantId: string; operation: Operation },
): Promise<void> {
	const lines = operation.lines.map(({ amountMinor, ...line }) => ({
		...line,
		amountMinor: String(amountMinor),
	}));
	await tx.query(
		`insert into billing_operations (
		   id, tenant_id, kind, status, plan_version_id, from_plan_version_id, from_period_ends_at, charge_minor, credit_minor,
		   balance_minor, amount_minor, currency, lines, attempt, payment_id, failure, quoted_at, requested_at, ends_at, settled_at,
		   add_on_version_ids, carried_minor, closed_because)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
		 on conflict (tenant_id, id) do update
		    set status = excluded.status, attempt = excluded.attempt, payment_id = excluded.payment_id,
		        failure = excluded.failure, closed_because = excluded.closed_because, settled_at = excluded.settled_at`,
		[
			operation.id,
			tenantId,
			operation.kind,
			operation.status,
			operation.plan.id,
			operation.fromPlanVersionId,
			operation.fromPeriodEndsAt,
			operation.chargeMinor,
			operation.creditMinor,
			operation.balanceMinor,
			operation.amountMinor,
			operation.currency,
			JSON.stringify(lines),
			operation.attempt,
			operation.paymentId,
			operation.failure,
			operation.quotedAt,
			operation.requestedAt,
			operation.endsAt,
			operation.settledAt,
			operation.addOns?.map(({ id }) => id) ?? null,
			operation.carriedMinor,
			operation.closedBecause,
		],
	);
}

export type ReceivedPayment = {
	id: string;
	operationId: string;
	amountMinor: bigint;
	currency: string;
	receivedAt: Date;
};

/** Records a payment; false if it was recorded before. */
export async function recordPayment(
	tx: Database,
	{ tenantId, payment }: { tenantId: string; payment: ReceivedPayment },
): Promise<boolean> {
	const { id, operationId, amountMinor, currency, receivedAt } = payment;
	const rows = await tx.query(
		`insert into received_payments (id, tenant_id, operation_id, amount_minor, currency, received_at)
		 values ($1, $2, $3, $4, $5, $6)
		 on conflict (tenant_id, id) do nothing
		 returning id`,
		[id, tenantId, operationId, amountMinor, currency, receivedAt],
	);
	return rows.length === 1;
}
