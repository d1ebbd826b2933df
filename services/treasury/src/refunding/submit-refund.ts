import { type Database, inTenant } from "@lango/postgres";
import { isDisputed } from "../disputes/dispute.store.ts";
import { findHalt } from "../halts/halt.store.ts";
import { takenOf } from "../holds/hold.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { RefundSaid } from "../outcomes/evidence/refund-evidence.ts";
import { lockRefundOf } from "../outcomes/refunds/lock-returnable.ts";
import type { Returnable } from "../outcomes/refunds/take-parts.ts";
import { isDeleted } from "../payments/locator.store.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { ladders } from "../recovery/ladder.ts";
import { listRefundsOf, nameRefund } from "../refunds/refund.store.ts";
import type { Refund } from "../refunds/refund.ts";
import type { Treasury } from "../treasury.ts";
import { scheduleRefund } from "./schedule-refund.ts";
import { sendRefund } from "./send-refund.ts";

type Submitting = { tenantId: string; refundId: string };

const haltedSeconds = 60;

/**
 * Sends a refund that is requested to its gateway, once: it is stored as being submitted before the call,
 * and the answer afterwards. While refunds are halted it waits. One that the payer disputes by now fails:
 * the bank returns the money. So does one of which too little is left by now, and that of a deleted tenant; a
 * suspended one still returns money, as it is the payer's.
 */
export async function submitRefund(domain: Treasury, submitting: Submitting): Promise<void> {
	const inside = <T>(work: (tx: Database) => Promise<T>) =>
		retryConflicts(() => inTenant(domain.db, submitting.tenantId, work));
	const prepared = await inside((tx) => prepare(tx, domain, submitting));
	if (prepared === undefined) return;
	const said = await sendRefund(domain, prepared).catch((error: unknown): RefundSaid[] => {
		domain.log.error({ err: error, refund: submitting.refundId }, "a refund may have been sent");
		return [{ kind: "unknown", because: "error" }];
	});
	await inside(async (tx) => {
		const usable = await unlessTaken(tx, prepared.refund, said);
		for (const one of usable) await say(tx, { ...prepared, now: domain.now() }, one);
		await waitToSend(tx, domain, prepared.refund);
	});
}

type Prepared = { refund: Refund; receipt: Receipt };

/** Returns undefined if it was sent before, waits for the end of a halt, or is not sent any more. */
async function prepare(
	tx: Database,
	domain: Treasury,
	{ tenantId, refundId: id }: Submitting,
): Promise<Prepared | undefined> {
	const { refund, returnable } = await lockRefundOf(tx, tenantId, id);
	if (refund?.status !== "requested" || returnable === undefined) return undefined;
	const refusal = await findRefusal(tx, refund, returnable);
	if (refusal !== undefined) {
		await say(tx, { refund, now: domain.now() }, refusal);
		return undefined;
	}
	if ((await findHalt(tx, "refunds")) !== undefined) {
		await scheduleRefund(tx, domain, { refund, job: "refunds.submit", afterSeconds: haltedSeconds });
		return undefined;
	}
	await say(tx, { refund, now: domain.now() }, { kind: "submitting" });
	// By its own id the mobile-money gateway is asked about it if its answer is lost.
	const originatorId = refund.method === "card" ? null : (refund.originatorId ?? id);
	if (originatorId !== null) await nameRefund(tx, { id, originatorId });
	// From here on the questions are counted, in place of the times that it was not sent.
	const asked = { ...refund, checks: 0 };
	await scheduleRefund(tx, domain, { refund: asked, job: "refunds.query", afterSeconds: ladders.refund[0] });
	return { refund: { ...refund, originatorId }, receipt: returnable.receipt };
}

/**
 * An answer may name a refund of the gateway that was matched with another of ours by its amount: one that
 * was sent before, and whose answer is not known. Both must not count for the same money, so this one is
 * asked about.
 */
async function unlessTaken(
	tx: Database,
	{ tenantId, id, receiptId }: Refund,
	said: readonly RefundSaid[],
): Promise<readonly RefundSaid[]> {
	const named = said.flatMap((one) => (one.kind === "accepted" ? [one.gatewayRef] : []));
	if (named.every((gatewayRef) => gatewayRef === undefined)) return said;
	await lockRefundOf(tx, tenantId, id);
	const isTaken = (await listRefundsOf(tx, receiptId)).some(
		(other) => other.id !== id && other.gatewayRef !== null && named.includes(other.gatewayRef),
	);
	return isTaken ? [{ kind: "unknown", because: "matched with another refund" }] : said;
}

/**
 * Why a refund is not sent any more, and fails. Since it was asked for, another that had failed may have been
 * processed after all, one may have been made at the gateway, or a dispute was lost.
 */
async function findRefusal(
	tx: Database,
	{ tenantId, id, receiptId, amountMinor }: Refund,
	{ receipt, parts }: Returnable,
): Promise<RefundSaid | undefined> {
	if (await isDeleted(tx, tenantId)) return { kind: "rejected", code: "tenant_deleted" };
	if (await isDisputed(tx, receiptId)) return { kind: "rejected", code: "payment_disputed" };
	const takenMinor = takenOf(parts, ({ objectId }) => objectId !== id);
	if (takenMinor + amountMinor <= receipt.amountMinor) return undefined;
	return { kind: "rejected", code: "refund_exceeds_payment" };
}

/** Nothing was sent: the same refund is sent later, as often as the gateway is asked about others. */
async function waitToSend(tx: Database, domain: Treasury, { tenantId, id, checks }: Refund): Promise<void> {
	const { refund } = await lockRefundOf(tx, tenantId, id);
	if (refund?.status !== "requested") return;
	const afterSeconds = ladders.refund[checks];
	if (afterSeconds === undefined)
		return say(
			tx,
			{ refund, now: domain.now() },
			{ kind: "rejected", code: refund.failureCode ?? "not_sent" },
		);
	const counted = { ...refund, checks: checks + 1 };
	await scheduleRefund(tx, domain, { refund: counted, job: "refunds.submit", afterSeconds });
}

const say = (
	tx: Database,
	{ refund: { tenantId, id: refundId }, now }: { refund: Refund; now: Date },
	refundSaid: RefundSaid,
): Promise<void> =>
	applyOutcome(tx, { tenantId, refundId, refundSaid, source: "answer", sourceId: undefined, at: now });
