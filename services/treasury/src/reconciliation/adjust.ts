import { isDeepStrictEqual } from "node:util";
import { uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import {
	findAdjustment,
	lockAdjusted,
	lockAdjustment,
	markPosted,
	markRejected,
	recordAdjustment,
} from "../adjustments/adjustment.store.ts";
import type { Adjustment } from "../adjustments/adjustment.ts";
import { adjustmentFailures } from "../adjustments/failures.ts";
import { platformBalanceOf } from "../comparing/balance.store.ts";
import { compareBalances } from "../comparing/compare-balances.ts";
import { closeException, findException } from "../exceptions/exception.store.ts";
import type { Exception, Proposal, ProposedCharge } from "../exceptions/exception.ts";
import { LedgerOverdrawn } from "../ledger/ledger-error.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { auditAction, type Operator } from "../operator.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { ChargeEvidence } from "../outcomes/evidence/evidence.ts";
import { isChannel } from "../payments/attempt.ts";
import { findOwnerId } from "../platform-owner.ts";
import { findCounted } from "../receipts/receipt.store.ts";
import { lockLineState } from "../settlements/settlement-line.store.ts";
import type { Treasury } from "../treasury.ts";
import { acceptLineOf, lockExplained } from "./decide-line.ts";
import { reconciliationFailures } from "./failures.ts";

type Asked = Pick<Adjustment, "tenantId" | "purpose" | "currency" | "lines" | "because" | "exceptionId">;

/** Records an adjustment that another operator has to approve. Returns its id. */
export async function requestAdjustment(
	tx: Database,
	asked: Asked,
	{ by, now }: { by: Operator; now: Date },
): Promise<string> {
	const id = uuidV7(now);
	await recordAdjustment(tx, { ...asked, id, createdBy: by.actor.id, createdAt: now });
	const { purpose, currency, because, tenantId } = asked;
	const detail = { purpose, currency, because, ...(tenantId !== undefined && { tenant_id: tenantId }) };
	await auditAction(tx, by, { action: "adjustment.requested", subject: id, detail, at: now });
	return id;
}

/**
 * Posts an adjustment that waits, as another operator than the one who asked for it, and closes the
 * exception that it resolves. Throws `adjustment_not_found`, `adjustment_closed`, `approver_is_creator`,
 * `exception_closed`, `line_matched`, `balance_changed`, `account_overdrawn`, and about a transfer balance
 * what asking the gateway throws.
 */
export async function approveAdjustment(domain: Treasury, id: string, by: Operator): Promise<void> {
	const { db } = domain;
	const found = await findAdjustment(db, id);
	if (found === undefined) throw adjustmentFailures.adjustment_not_found();
	const tenantId = found.tenantId ?? (await findOwnerId(domain));
	await ensureTenant(db, tenantId);
	await compareAgain(domain, found);
	try {
		await retryConflicts(() =>
			inTenant(db, tenantId, (tx) => post(tx, found, { tenantId, by, now: domain.now() })),
		);
	} catch (error) {
		if (error instanceof LedgerOverdrawn) throw adjustmentFailures.account_overdrawn();
		throw error;
	}
}

/** What a transfer balance has more may be booked by now: its exception is brought up to date. */
async function compareAgain(domain: Treasury, { state, exceptionId }: Adjustment): Promise<void> {
	const exception = state === "waiting" && exceptionId && (await findException(domain.db, exceptionId));
	if (exception && exception.class === "balance")
		await compareBalances(domain, await domain.gateways.requireCardGateway());
}

/**
 * Rejects an adjustment that waits, or withdraws it. The exception that it would have resolved stays open.
 * Throws `adjustment_not_found` and `adjustment_closed`.
 */
export function rejectAdjustment({ db, now }: Treasury, id: string, by: Operator): Promise<void> {
	return db.transaction(async (tx) => {
		const { purpose, currency } = await lockWaiting(tx, id);
		await markRejected(tx, id);
		const detail = { purpose, currency };
		await auditAction(tx, by, { action: "adjustment.rejected", subject: id, detail, at: now() });
	});
}

async function lockWaiting(tx: Database, id: string): Promise<Adjustment> {
	const adjustment = await lockAdjustment(tx, id);
	if (adjustment === undefined) throw adjustmentFailures.adjustment_not_found();
	if (adjustment.state !== "waiting") throw adjustmentFailures.adjustment_closed();
	return adjustment;
}

type Approval = { tenantId: string; by: Operator; now: Date };

/** The exception is locked before its adjustment, as when it is resolved, and after what it is about. */
async function post(
	tx: Database,
	{ id, exceptionId }: Adjustment,
	{ tenantId, by, now }: Approval,
): Promise<void> {
	const exception = exceptionId && (await lockExplained(tx, exceptionId, { isInTenant: true }));
	const adjustment = await lockWaiting(tx, id);
	if (adjustment.createdBy === by.actor.id) throw adjustmentFailures.approver_is_creator();
	await lockAdjusted(tx, adjustment);
	if (exception) await explain(tx, exception, { adjustment, by, now });
	const about = { tenantId, source: "operator", sourceId: by.actor.id, at: now } as const;
	await carryOut(tx, { adjustment, proposed: exception ? exception.proposed : undefined, about });
	await markPosted(tx, { id, by: by.actor.id, at: now });
	const { purpose, currency } = adjustment;
	const detail = { purpose, currency };
	await auditAction(tx, by, { tenantId, action: "adjustment.approved", subject: id, detail, at: now });
}

type About = { tenantId: string; source: "operator"; sourceId: string; at: Date };
type Approved = { adjustment: Adjustment; proposed: Proposal | undefined; about: About };

/** Some exceptions are about a charge: it is counted, or counts as settled. */
function carryOut(tx: Database, { adjustment, proposed, about }: Approved): Promise<void> {
	const { charge, receipt_id: receiptId } = proposed ?? {};
	if (charge !== undefined) return applyOutcome(tx, { ...about, charge: countedBy(charge) });
	if (receiptId === undefined) return applyOutcome(tx, { ...about, adjustment });
	return applyOutcome(tx, { ...about, unpaid: { receiptId, adjustmentId: adjustment.id } });
}

/** Closes the exception that an adjustment resolves. What was explained otherwise is not posted again. */
async function explain(
	tx: Database,
	exception: Exception,
	{ adjustment, by, now }: { adjustment: Adjustment; by: Operator; now: Date },
): Promise<void> {
	const { id, state, lineId } = exception;
	if (state === "closed") throw reconciliationFailures.exception_closed();
	if (lineId !== undefined && (await lockLineState(tx, lineId)) === "matched")
		throw reconciliationFailures.line_matched();
	const charge = exception.proposed?.charge;
	if (charge !== undefined && (await findCounted(tx, "card_gateway", charge.transaction)) !== undefined)
		throw reconciliationFailures.line_matched();
	if (exception.class === "balance" && !(isProposed(adjustment, exception) && (await isNoted(tx, exception))))
		throw reconciliationFailures.balance_changed();
	const { because } = adjustment;
	await closeException(tx, id, { as: "posted", because, receiptIds: [], by: by.actor.id, at: now });
	await acceptLineOf(tx, exception);
}

/** Whether an exception still proposes what was asked for. */
function isProposed({ lines }: Adjustment, { proposed }: Exception): boolean {
	const asked = lines.map(({ amountMinor, ...line }) => ({ ...line, amount_minor: toMinor(amountMinor) }));
	return isDeepStrictEqual(asked, proposed?.lines);
}

/** Whether the account still has what it had when the balances were compared. */
async function isNoted(tx: Database, { ours, currency }: Exception): Promise<boolean> {
	const { account: code, amount_minor: noted } = ours as { account: string; amount_minor: number };
	return toMinor(await platformBalanceOf(tx, { code, currency })) === noted;
}

/** A charge that two operators count: its receipt lies in suspense, and can be allocated. */
const countedBy = (charge: ProposedCharge): ChargeEvidence["charge"] => ({
	...{ kind: "paid", receipt: charge.transaction, reference: charge.reference, currency: charge.currency },
	...{ amountMinor: BigInt(charge.amount_minor), payerMasked: undefined },
	paidAt: charge.paid_at === undefined ? undefined : new Date(charge.paid_at),
	...(charge.fee_minor !== undefined && { feeMinor: BigInt(charge.fee_minor) }),
	...(isChannel(charge.channel) && { channel: charge.channel }),
});
