import type { Database } from "@lango/postgres";
import { inTenant } from "@lango/postgres";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { findAttempt } from "../payments/attempt.store.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { refundFailures } from "../refunds/failures.ts";
import { listRefundsOf } from "../refunds/refund.store.ts";
import { isReversed, type RefundMethod } from "../refunds/refund.ts";
import type { Treasury } from "../treasury.ts";
import { findShortcode } from "./find-shortcode.ts";

/** The mobile-money gateway reverses a payment for a day, and once. */
const reversibleMs = 24 * 3_600_000;

/**
 * Chooses how money is returned: as the gateway of its receipt does it now. What mobile money does not
 * reverse any more is paid to the phone that was prompted, unless a reversal is asked for. Throws
 * `channel_unavailable` if the gateway is not configured, `amount_not_whole`, `reversal_too_late` if a
 * reversal is asked for and not possible, and `refund_channel_closed` if that phone is not known.
 */
export async function chooseMethod(
	domain: Treasury,
	receipt: Receipt,
	{ amountMinor = receipt.amountMinor, isReversal }: { amountMinor: bigint | undefined; isReversal: boolean },
): Promise<RefundMethod> {
	const { db, now, gateways } = domain;
	if (receipt.gateway === "card_gateway") {
		await gateways.requireCardGateway();
		return "card";
	}
	if ((await findShortcode(domain, receipt)) === undefined) throw gatewayFailures.channel_unavailable();
	if (amountMinor % 100n !== 0n) throw paymentFailures.amount_not_whole({ fields: amountField });
	const { isReversed, phone } = await inTenant(db, receipt.tenantId, async (tx) => ({
		...{ isReversed: await hasReversal(tx, receipt.id), phone: await findPayerPhone(tx, receipt) },
	}));
	if (receipt.receipt !== null && !isReversed && isReversible(receipt, now())) return "reversal";
	if (isReversal) throw refundFailures.reversal_too_late();
	if (phone === undefined) throw refundFailures.refund_channel_closed();
	return "payout";
}

const amountField = { field: "amount_minor", in: "body" } as const;

/** Whether the mobile-money gateway still takes a reversal of a payment. Pure. */
const isReversible = ({ occurredAt }: Pick<Receipt, "occurredAt">, now: Date): boolean =>
	now.getTime() - occurredAt.getTime() < reversibleMs;

/**
 * The phone of the payer: gateways mask it, so that it is known of prompts only. Call it inside the tenant.
 */
export async function findPayerPhone(
	tx: Database,
	{ attemptId }: Pick<Receipt, "attemptId">,
): Promise<string | undefined> {
	const attempt = attemptId === null ? undefined : await findAttempt(tx, attemptId);
	return attempt?.channel === "push" ? (attempt.phone ?? undefined) : undefined;
}

const hasReversal = async (tx: Database, receiptId: string): Promise<boolean> =>
	(await listRefundsOf(tx, receiptId)).some(isReversed);
