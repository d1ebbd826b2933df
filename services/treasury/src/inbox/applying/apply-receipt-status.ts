import type { Database } from "@lango/postgres";
import { findTenantGateway } from "../../gateways/shortcodes/tenant-gateway.store.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import { readAccountCode } from "../../payments/account-code.ts";
import { findIntent } from "../../payments/intent.store.ts";
import { findLocator } from "../../payments/locator.store.ts";
import type { GatewayQuery } from "../../queries/query.ts";
import { findUnverified, removeForged } from "../../receipts/receipt.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import type { StatusResult } from "../reading.ts";

type Answered = { query: GatewayQuery; result: StatusResult; deliveryId: string; now: Date };

/** The gateway's code for: there is no such receipt. */
const unknownReceipt = "2032";

/**
 * Applies what the gateway answers about a receipt that is not verified: `Completed`, with the same amount
 * and shortcode, makes it count as by a trusted confirmation; a receipt that does not exist is removed. Any
 * other answer leaves it as it is. Call it inside the tenant.
 */
export async function applyReceiptStatus(tx: Database, answered: Answered): Promise<void> {
	const { query, result, deliveryId, now } = answered;
	const number = "receipt" in query.about ? query.about.receipt : undefined;
	const receipt = number === undefined ? undefined : await findUnverified(tx, number);
	// A question of another shortcode says nothing about this money.
	if (receipt === undefined || number === undefined || receipt.shortcode !== query.shortcode) return;
	if (result.code === unknownReceipt) return removeForged(tx, receipt.id);
	if (!confirms(result, receipt)) return;
	const { tenantId, shortcode, custody, amountMinor, currency, accountRef, payerMasked } = receipt;
	await applyOutcome(tx, {
		...{ tenantId, intentId: await findNamed(tx, receipt), isTrusted: true },
		...{ source: "query", sourceId: deliveryId, at: now },
		money: {
			...{ receipt: number, shortcode, custody, amountMinor, currency, accountRef, payerMasked },
			paidAt: result.finishedAt ?? receipt.occurredAt,
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

/** The intent that the account of a receipt names, if it is the tenant's and collects by this shortcode. */
async function findNamed(tx: Database, receipt: Receipt): Promise<string | undefined> {
	const { tenantId, accountRef, custody, currency, shortcode } = receipt;
	const code = readAccountCode(accountRef ?? "");
	const located = code === undefined ? undefined : await findLocator(tx, "account_code", code);
	if (located?.tenantId !== tenantId) return undefined;
	const intent = await findIntent(tx, located.objectId);
	if (intent?.payee !== custody || intent.currency !== currency) return undefined;
	const isOwn = custody === "platform" || (await findTenantGateway(tx))?.shortcode === shortcode;
	return isOwn ? intent.id : undefined;
}
