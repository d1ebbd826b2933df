import type { Database } from "@lango/postgres";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { GatewayQuery } from "../../queries/query.ts";
import { findCounted, findUnverified, removeForged } from "../../receipts/receipt.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import type { StatusResult } from "../reading.ts";

type Answered = { query: GatewayQuery; result: StatusResult; deliveryId: string; now: Date };

/** The gateway's code for: there is no such receipt. */
const unknownReceipt = "2032";

/**
 * Applies what the gateway answers about a receipt that is not verified: `Completed`, with the same amount
 * and shortcode, makes it count, for no intent: the answer names neither account nor payer. A receipt that
 * does not exist is removed, and one that another tenant has. Any other answer leaves it as it is. Returns
 * the code with which the question fails instead, if the tenant may not see the answer. Call it inside the
 * tenant.
 */
export async function applyReceiptStatus(tx: Database, answered: Answered): Promise<string | undefined> {
	const { query, result } = answered;
	const number = "receipt" in query.about ? query.about.receipt : undefined;
	const receipt = number === undefined ? undefined : await findUnverified(tx, number);
	// A question of another shortcode says nothing about this money.
	if (receipt === undefined || number === undefined || receipt.shortcode !== query.shortcode)
		return undefined;
	const counted = await findCounted(tx, receipt.gateway, number);
	const isOfOther = counted !== undefined && counted.tenantId !== receipt.tenantId;
	if (isOfOther || result.code === unknownReceipt) {
		await removeForged(tx, receipt.id);
		return unknownReceipt;
	}
	if (confirms(result, receipt)) await count(tx, { receipt: { ...receipt, receipt: number }, answered });
	return undefined;
}

type Confirmed = { receipt: Receipt & { receipt: string; shortcode: string }; answered: Answered };

async function count(tx: Database, { receipt: confirmed, answered }: Confirmed): Promise<void> {
	const { tenantId, receipt, shortcode, custody, amountMinor, currency } = confirmed;
	const { result, deliveryId: sourceId, now: at } = answered;
	await applyOutcome(tx, {
		...{ tenantId, intentId: undefined, isTrusted: true, source: "query", sourceId, at },
		money: {
			...{ receipt, shortcode, custody, amountMinor, currency, accountRef: null, payerMasked: null },
			paidAt: result.finishedAt,
		},
	});
}

const answeredCode = "0";

const confirms = (
	{ code, status, amountMinor, shortcode, receipt: number }: StatusResult,
	receipt: Receipt,
) =>
	code === answeredCode &&
	status === "Completed" &&
	amountMinor === receipt.amountMinor &&
	shortcode === receipt.shortcode &&
	(number === undefined || number === receipt.receipt);
