import { type Database, inTenant } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import type { CardRefund } from "../gateways/card-gateway/refunds.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { lockRefundOf, lockReturnable } from "../outcomes/refunds/lock-returnable.ts";
import { askGateway } from "../queries/ask-gateway.ts";
import { findReceipt } from "../receipts/receipt.store.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { ladders } from "../recovery/ladder.ts";
import { findRefund, scheduleRefundCheck } from "../refunds/refund.store.ts";
import { isRefundOpen, type Refund } from "../refunds/refund.ts";
import type { Treasury } from "../treasury.ts";
import { applyRefundList } from "./apply-refund-list.ts";
import { askForRefunds } from "./ask-for-refunds.ts";
import { findHolderId } from "./find-shortcode.ts";
import { scheduleRefund } from "./schedule-refund.ts";
import { submitRefund } from "./submit-refund.ts";

type Asking = { tenantId: string; refundId: string };

/**
 * Asks the gateway what became of a refund, and schedules the next question while it is not known. One
 * that was never sent is sent once its time has come. After the last question the platform owner has to
 * decide; the money stays held.
 */
export async function findOutRefund(domain: Treasury, asking: Asking): Promise<void> {
	const { db } = domain;
	const { tenantId, refundId } = asking;
	const refund = await inTenant(db, tenantId, (tx) => findRefund(tx, refundId));
	if (refund === undefined || !isRefundOpen(refund)) return;
	if (refund.status === "requested")
		return isDue(refund, domain.now()) ? submitRefund(domain, asking) : undefined;
	if (refund.status === "submitting")
		await retryConflicts(() => inTenant(db, tenantId, noteLostAnswer(domain, asking)));
	await checkRefund(domain, refund);
	await retryConflicts(() => inTenant(db, tenantId, (tx) => askAgain(tx, domain, asking)));
}

/** One that is found as being submitted has no answer: it may have been sent. */
const noteLostAnswer =
	({ now }: Treasury, asking: Asking) =>
	(tx: Database): Promise<void> =>
		applyOutcome(tx, {
			...{ ...asking, source: "query", sourceId: undefined, at: now() },
			refundSaid: { kind: "unknown", because: "no answer" },
		});

const isDue = ({ nextCheckAt }: Refund, now: Date): boolean => nextCheckAt === null || nextCheckAt <= now;

/**
 * Asks the gateway about a refund at once, and applies what it says. Returns whether it answered; the
 * mobile-money gateway does so later.
 */
export async function checkRefund(domain: Treasury, { tenantId, ...refund }: Refund): Promise<boolean> {
	const { db } = domain;
	const receipt = await inTenant(db, tenantId, (tx) => findReceipt(tx, refund.receiptId));
	if (receipt === undefined) return false;
	if (refund.method !== "card") {
		await askAboutRequest(domain, refund, receipt);
		return false;
	}
	return checkRefundsOf(domain, receipt);
}

/**
 * Asks the card gateway for all refunds of a charge, and applies what it says: also those that were made
 * there. Returns whether it answered.
 */
export async function checkRefundsOf(
	domain: Pick<Treasury, "db" | "now" | "gateways">,
	receipt: Receipt,
): Promise<boolean> {
	const { tenantId, receipt: transaction, currency } = receipt;
	const listed = await askForRefunds(domain.gateways, { transaction: transaction ?? "", currency });
	if (listed === undefined) return false;
	await retryConflicts(() =>
		inTenant(domain.db, tenantId, (tx) => applyListed(tx, domain, { receipt, listed })),
	);
	return true;
}

/**
 * Asks the mobile-money gateway about the request of a refund: its answer comes by a callback. One that does
 * not take our ids knows the request by its own id alone: if that is lost, only the result says what became
 * of it.
 */
async function askAboutRequest(
	domain: Treasury,
	{ originatorId }: Pick<Refund, "originatorId">,
	receipt: Receipt,
): Promise<void> {
	if (originatorId === null) return;
	const { tenantId, shortcode } = receipt;
	const question = {
		...{ tenantId, about: { kind: "status", originatorId } as const, createdBy },
		shortcodeOf: await findHolderId(domain, receipt),
		shortcode: shortcode ?? undefined,
	};
	await askGateway(domain, question).catch((error: unknown) => {
		domain.log.warn({ err: error }, "the gateway did not take the question about a refund");
	});
}

const createdBy = { kind: "service", id: "treasury" };

async function applyListed(
	tx: Database,
	{ now }: Pick<Treasury, "now">,
	{ receipt, listed }: { receipt: Receipt; listed: readonly CardRefund[] },
): Promise<void> {
	const returnable = await lockReturnable(tx, receipt.tenantId, receipt.id);
	if (returnable === undefined) return;
	const about = { receipt: returnable.receipt, source: "query", sourceId: undefined, now: now() } as const;
	await applyRefundList(tx, { ...about, listed });
}

async function askAgain(tx: Database, domain: Treasury, { tenantId, refundId }: Asking): Promise<void> {
	const { refund } = await lockRefundOf(tx, tenantId, refundId);
	if (refund === undefined || !isRefundOpen(refund)) return;
	const { checks } = refund;
	const [asked, next] = [ladders.refund[checks], ladders.refund[checks + 1]];
	if (asked === undefined || next === undefined) return leaveToOperator(tx, domain, refund);
	const counted = { ...refund, checks: checks + 1 };
	await scheduleRefund(tx, domain, { refund: counted, job: "refunds.query", afterSeconds: next - asked });
}

async function leaveToOperator(tx: Database, { now }: Treasury, refund: Refund): Promise<void> {
	const { tenantId, id, receiptId: receipt_id, amountMinor, currency, status } = refund;
	const at = now();
	await scheduleRefundCheck(tx, { id, checks: refund.checks, nextCheckAt: null });
	const about = { tenantId, refundId: id, source: "query", sourceId: undefined, at } as const;
	await applyOutcome(tx, { ...about, refundSaid: { kind: "unanswered" } });
	await raiseException(tx, {
		...{ class: "missing_there", subject: `refund ${id}`, amountMinor, currency, now: at },
		ours: {
			tenant_id: tenantId,
			refund_id: id,
			receipt_id,
			status,
			amount_minor: toMinor(amountMinor),
			currency,
		},
		theirs: {},
	});
}
