import { chassisFailures } from "@lango/chassis";
import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { postJournals } from "../../ledger/ledger.store.ts";
import { postRaising } from "../../ledger/post-raising.ts";
import { allocateSuspended, type SuspendedIn } from "../../ledger/postings/collecting.ts";
import { smaller } from "../../money/amount.ts";
import { paymentFailures } from "../../payments/failures.ts";
import type { StoredIntent } from "../../payments/intent.store.ts";
import { outstandingOf } from "../../payments/intent.ts";
import { receiptFailures } from "../../receipts/failures.ts";
import { lockReceipt, raiseAllocated } from "../../receipts/receipt.store.ts";
import { type Receipt, unallocatedOf } from "../../receipts/receipt.ts";
import { requireAllocatable } from "../../receipts/require-allocatable.ts";
import { takeReceipt } from "../../receipts/taken-receipt.store.ts";
import { isBeingRefunded } from "../../refunds/refund.store.ts";
import { settleBills } from "../../unapplied/settle-bills.ts";
import { unappliedOf } from "../../unapplied/unapplied.store.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { AllocationEvidence } from "../evidence/evidence.ts";
import { allocate } from "./count-receipt.ts";
import { lockPayable } from "./lock-payable.ts";

/**
 * Allocates a receipt, or a part of it, to an intent. Money for the platform becomes unused money of the
 * tenant: it pays the named bill, or others. Call it inside the tenant of the intent.
 * Throws `intent_not_found`, `receipt_not_found`, `receipt_unverified`, `receipt_allocated`,
 * `receipt_changed`, `receipt_duplicate`, `receipt_refunding`, `currency_differs`, `custody_differs`,
 * `intent_closed` and `invalid_input`.
 */
export async function allocateReceipt(tx: Database, evidence: AllocationEvidence): Promise<void> {
	const { tenantId, allocation, source, sourceId, at } = evidence;
	const { receiptId, takenFrom } = allocation;
	const intent = await lockPayable(tx, { tenantId, intentId: allocation.intentId });
	if (intent === undefined) throw paymentFailures.intent_not_found();
	if (takenFrom !== undefined && !(await takeReceipt(tx, receiptId, takenFrom)))
		throw receiptFailures.receipt_allocated();
	const receipt = requireAllocatable(await lockReceipt(tx, receiptId), intent);
	if (await isBeingRefunded(tx, receipt.id)) throw receiptFailures.receipt_refunding();
	const amountMinor = amountOf(receipt, intent, allocation);
	if (takenFrom !== undefined) requireWhole(receipt, allocation.amountMinor);
	const said = { kind: "allocated", intentId: intent.id, amountMinor, ...(takenFrom && { takenFrom }) };
	const about = { tenantId, objectKind: "receipt" as const, objectId: receiptId, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said });
	const allocating = { intent, receipt, amountMinor, evidenceId, now: at };
	await (intent.payee === "platform" ? allocateToPlatform(tx, allocating) : allocateToTrade(tx, allocating));
}

/** A repetition of a request, whose first answer was lost, finds less left than the person saw. */
function amountOf(
	receipt: Receipt,
	intent: StoredIntent,
	{ amountMinor: asked, seenMinor }: AllocationEvidence["allocation"],
): bigint {
	const left = unallocatedOf(receipt);
	if (seenMinor !== undefined && seenMinor !== left) throw receiptFailures.receipt_changed();
	const most = intent.payee === "platform" ? left : smaller(left, outstandingOf(intent));
	if (most === 0n) throw paymentFailures.intent_closed();
	if (asked === undefined || asked <= most) return asked ?? most;
	throw amountInvalid(
		asked > left ? "There is less left of the receipt." : "The payment request needs less than that.",
	);
}

/** A receipt moves to another tenant as a whole: its rest would be that tenant's, too. */
function requireWhole(receipt: Receipt, asked: bigint | undefined): void {
	if (asked !== undefined && asked < unallocatedOf(receipt))
		throw amountInvalid("A receipt that moves to another tenant is allocated as a whole.");
}

const amountInvalid = (message: string) =>
	chassisFailures.invalid_input({ message, fields: { field: "amount_minor", in: "body" } });

type Allocating = {
	intent: StoredIntent;
	receipt: Receipt;
	amountMinor: bigint;
	evidenceId: string;
	now: Date;
};

const suspenseIn = ({ shortcode, custody: owner }: Receipt): SuspendedIn =>
	shortcode === null ? "card" : { shortcode, owner };

/** The first payment of a receipt bears its fee, which is passed on with it unless that was done before. */
async function allocateToTrade(tx: Database, allocating: Allocating): Promise<void> {
	const { intent, receipt, amountMinor, evidenceId, now } = allocating;
	const { currency, allocatedMinor, platformMinor, isFeePassedOn } = receipt;
	const id = uuidV7(now);
	const posting = allocateSuspended({
		...{ from: suspenseIn(receipt), payee: "tenant", isSettled: receipt.settledAt !== null },
		...{ amountMinor, currency, feeMinor: isFeePassedOn ? 0n : receipt.feeMinor },
	});
	const source = { type: "payment", id };
	await postRaising(tx, intent.tenantId, [{ ...posting, source, evidenceId, at: now }]);
	await raiseAllocated(tx, receipt.id, { amountMinor, isFeePassedOn: receipt.gateway === "card_gateway" });
	const feeMinor = allocatedMinor === platformMinor ? receipt.feeMinor : 0n;
	await allocate(tx, { intent, receipt, amountMinor, feeMinor, id, now });
}

type ToPlatform = Omit<Allocating, "intent"> & { tenantId: string; preferredId: string | undefined };

async function toUnapplied(tx: Database, allocating: ToPlatform): Promise<void> {
	const { tenantId, preferredId, receipt, amountMinor, evidenceId, now } = allocating;
	const { currency } = receipt;
	await raiseAllocated(tx, receipt.id, { amountMinor, platformMinor: amountMinor });
	const posting = allocateSuspended({ from: suspenseIn(receipt), payee: "platform", amountMinor, currency });
	const journal = { ...posting, source: { type: "allocation", id: evidenceId }, evidenceId, at: now };
	const unappliedMinor = (await unappliedOf(tx, currency)) + amountMinor;
	const settling = { tenantId, preferredId, receipt, unappliedMinor, evidenceId, now };
	await postJournals(tx, tenantId, [journal, ...(await settleBills(tx, settling))]);
}

const allocateToPlatform = (tx: Database, { intent, ...allocating }: Allocating): Promise<void> =>
	toUnapplied(tx, { ...allocating, tenantId: intent.tenantId, preferredId: intent.id });

/**
 * Makes what lies in suspense of the platform's shortcode money that the tenant has not used: a standing
 * order for its bills turns out to have paid it. Call it inside the tenant, after `lockBillsOf`.
 */
export async function allocateToBills(
	tx: Database,
	{ tenantId, receipt, evidenceId, now }: Omit<ToPlatform, "amountMinor" | "preferredId">,
): Promise<void> {
	const { attemptId, custody, isDuplicate } = receipt;
	if (attemptId !== null || custody !== "platform" || isDuplicate) return;
	const amountMinor = unallocatedOf(receipt);
	if (amountMinor === 0n) return;
	await toUnapplied(tx, { tenantId, preferredId: undefined, receipt, amountMinor, evidenceId, now });
}

/**
 * Allocates what lies in suspense of a shortcode to the intent that the receipt turns out to pay: a
 * confirmation of a till, or an answer about a number, names no account and may come before the statement
 * that does. Call it inside the tenant.
 */
export async function allocateRest(
	tx: Database,
	{ intent, receipt, evidenceId, now }: Omit<Allocating, "amountMinor">,
): Promise<void> {
	const { attemptId, shortcode, custody, currency, isDuplicate } = receipt;
	if (attemptId !== null || shortcode === null || isDuplicate) return;
	if (custody !== intent.payee || currency !== intent.currency) return;
	if (await isBeingRefunded(tx, receipt.id)) return;
	const left = unallocatedOf(receipt);
	const amountMinor = intent.payee === "platform" ? left : smaller(left, outstandingOf(intent));
	if (amountMinor === 0n) return;
	const allocating = { intent, receipt, amountMinor, evidenceId, now };
	await (intent.payee === "platform" ? allocateToPlatform : allocateToTrade)(tx, allocating);
}
