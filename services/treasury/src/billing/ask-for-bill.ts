import { InvalidEvent } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { getMobileMoneyProfile } from "../gateways/profiles/profile.store.ts";
import { mobileMoneyCurrency } from "../money/amount.ts";
import { spendUnused } from "../outcomes/collecting/pay-from-unused.ts";
import { lockOpenBills, lockOperation, type StoredIntent, updateIntent } from "../payments/intent.store.ts";
import { intentChannels, isOpen } from "../payments/intent.ts";
import { recordAskingFailed, recordIntentChanged, recordIntentPaid } from "../payments/intent-events.ts";
import { fingerprintOf, openIntent } from "../payments/open-intent.ts";
import { listPayments } from "../payments/payment.store.ts";
import { findReceipt } from "../receipts/receipt.store.ts";
import type { Treasury } from "../treasury.ts";
import { amountDue } from "../unapplied/amount-due.ts";
import { lockBillsOf } from "../unapplied/unapplied.store.ts";
import { findBillingMethod } from "./methods/billing-method.store.ts";
import { isPaidByItself } from "./methods/follow-subscription.ts";
import { isAutomatic, phoneFor } from "./methods/phone-for.ts";
import { failRenewal, requirePayment } from "./require-payment.ts";
import { isWithdrawn } from "./withdrawn.store.ts";

/** What another service asks a tenant to pay to the platform. */
export type AskedBill = {
	operation_id: string;
	tenant_id: string;
	kind: string;
	attempt: number;
	amount_minor: number;
	currency: string;
	sourceService: string;
	description: string;
	askedAt: Date;
	expiresAt: Date;
};

type Asking = Pick<Treasury, "now" | "keys"> & { settings: Pick<Treasury["settings"], "consoleUrl"> };

/**
 * Makes the intent of an operation, or finds it when the operation is asked for again, and pays it at
 * once where the tenant's unused money covers it. Else it is collected without a person, or somebody has to
 * pay. The answer to a repetition is published again, and one that has expired has failed again. Call it
 * inside the tenant. Throws InvalidEvent if the operation is known with another amount: an operator has to
 * decide.
 */
export async function askForBill(tx: Database, parts: Asking, asked: AskedBill): Promise<void> {
	const { tenant_id: tenantId, operation_id: operationId, sourceService } = asked;
	await lockBillsOf(tx, tenantId);
	const known = await lockOperation(tx, { sourceService, operationId });
	if (known === undefined) return openBill(tx, parts, asked);
	if (known.amountMinor !== BigInt(asked.amount_minor) || known.currency !== asked.currency)
		throw new InvalidEvent(`the operation ${operationId} was asked for with another amount`);
	if (known.status === "succeeded") return repeatPaid(tx, known, parts.now());
	if (known.status === "cancelled" || asked.attempt <= known.askedAttempt) return;
	const { attempt: askedAttempt, askedAt, expiresAt } = asked;
	const again = await updateIntent(tx, { ...known, askedAttempt, askedAt, expiresAt }, parts.now());
	if (isOpen(again)) await collectBill(tx, parts, again);
	else await recordAskingFailed(tx, { intent: again, reason: "expired", now: parts.now() });
}

async function openBill(tx: Database, parts: Asking, asked: AskedBill): Promise<void> {
	const { tenant_id: tenantId, operation_id: operationId, sourceService, kind } = asked;
	const now = parts.now();
	const intent = await openIntent(
		tx,
		{
			...{ tenantId, payee: "platform", sourceService, operationId, operationKind: kind, orderId: null },
			...{
				description: asked.description,
				amountMinor: BigInt(asked.amount_minor),
				currency: asked.currency,
			},
			...{ askedAttempt: asked.attempt, askedAt: asked.askedAt, expiresAt: asked.expiresAt },
			channels: intentChannels.filter(
				(channel) => channel !== "push" || asked.currency === mobileMoneyCurrency,
			),
			...{ customerUserId: null, customer: {}, returnUrl: null, metadata: {} },
			...{ createdBy: { kind: "service", id: sourceService }, idempotencyKey: undefined },
			fingerprint: fingerprintOf({ amount: asked.amount_minor, currency: asked.currency }),
		},
		{ keys: parts.keys, now },
	);
	if (intent === undefined) throw new Error(`the operation ${operationId} is known, but was not found`);
	if (await isWithdrawn(tx, { sourceService, operationId })) return cancelBill(tx, intent, now);
	if (await isOvertaken(tx, intent, now)) return cancelBill(tx, intent, now);
	await collectBill(tx, parts, intent);
}

/**
 * A tenant has one open operation of its subscription besides bills for overage: the one asked for last
 * replaces the others. Returns whether this one is the older one.
 */
async function isOvertaken(tx: Database, intent: StoredIntent, now: Date): Promise<boolean> {
	if (intent.sourceService !== "subscriptions" || intent.operationKind === "overage") return false;
	const others = (await lockOpenBills(tx)).filter(
		({ id, sourceService, operationKind }) =>
			id !== intent.id && sourceService === intent.sourceService && operationKind !== "overage",
	);
	if (others.some(({ askedAt }) => askedAt > intent.askedAt)) return true;
	for (const other of others) await cancelBill(tx, other, now);
	return false;
}

/**
 * Cancels a bill. The service that asked for it has closed the operation itself. Call it inside the
 * tenant.
 */
export async function cancelBill(tx: Database, intent: StoredIntent, now: Date): Promise<void> {
	const cancelled = await updateIntent(tx, { ...intent, status: "cancelled" }, now);
	await recordIntentChanged(tx, cancelled, now);
}

async function collectBill(tx: Database, parts: Asking, intent: StoredIntent): Promise<void> {
	const unusedMinor = await spendUnused(tx, intent, { source: "event", now: parts.now() });
	if (unusedMinor === undefined) return;
	if (!isAutomatic(intent)) return requirePayment(tx, parts, intent);
	const bill = { ...intent, dueMinor: await amountDue(tx, intent, unusedMinor) };
	const paying = { method: await findBillingMethod(tx), ...(await getMobileMoneyProfile(tx)) };
	if (phoneFor(bill, paying) === undefined && !(await isPaidByItself(tx)))
		await failRenewal(tx, parts, { intent, reason: "no_billing_method" });
	else await enqueueJob(tx, { name: "renewals.prompt" }, { id: intent.id, tenantId: intent.tenantId });
}

/** An operation that is asked for again after it was paid gets the same answer again. */
async function repeatPaid(tx: Database, intent: StoredIntent, now: Date): Promise<void> {
	const payment = (await listPayments(tx, [intent.id])).at(-1);
	const receipt = payment && (await findReceipt(tx, payment.receiptId));
	if (payment === undefined || receipt === undefined)
		throw new Error(`the paid intent ${intent.id} has no payment`);
	await recordIntentPaid(tx, { intent, paymentId: payment.id, receipt, now });
}
