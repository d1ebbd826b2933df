import type { Database } from "@lango/postgres";
import { mobileMoneyCurrency } from "../../money/amount.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { GatewayQuery } from "../../queries/query.ts";
import { isStated } from "../../receipts/fitting-receipt.store.ts";
import { findCounted, findUnverified, removeForged } from "../../receipts/receipt.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import type { StatusResult } from "../reading.ts";

type Answered = {
	query: GatewayQuery;
	result: StatusResult;
	deliveryId: string;
	/** The platform owner's tenant. */
	ownerId: string | undefined;
	prompted: PromptedMoney;
	now: Date;
};

/** What money that an answer is about may be, by its shortcode and amount. */
export type PromptedMoney = {
	/** That of a prompt, which is asked about. */
	isPrompted: boolean;
	/** That of a prompt that was erased with its tenant, and that a query counted before without its number. */
	isErased: boolean;
};

/** The gateway's code for: there is no such receipt. */
const unknownReceipt = "2032";

/**
 * Applies what the gateway answers about a receipt that is not verified: `Completed`, with the same amount
 * and shortcode, makes it count, for no intent: the answer names neither account nor payer. A receipt that
 * does not exist is removed, and one that another tenant has. What may be counted already for a deleted
 * tenant is not counted: a person decides, since the sender of its account is not trusted. Any other answer
 * leaves it as it is. Money of
 * which only a statement of the shortcode and the gateway's answer say the same counts, too: its confirmation
 * was lost. Returns the code with which the question fails instead, if the tenant may not see the answer.
 * Call it inside the tenant.
 */
export async function applyReceiptStatus(tx: Database, answered: Answered): Promise<string | undefined> {
	const { query, result } = answered;
	const number = "receipt" in query.about ? query.about.receipt : undefined;
	const receipt = number === undefined ? undefined : await findUnverified(tx, number);
	if (number === undefined) return undefined;
	if (receipt === undefined) return countStated(tx, number, answered);
	// A question of another shortcode says nothing about this money.
	if (receipt.shortcode !== query.shortcode) return undefined;
	const counted = await findCounted(tx, receipt.gateway, number);
	const isOfOther = counted !== undefined && counted.tenantId !== receipt.tenantId;
	if (isOfOther || result.code === unknownReceipt) {
		await removeForged(tx, receipt.id);
		return unknownReceipt;
	}
	const mayBeCounted = receipt.custody === "platform" && answered.prompted.isErased;
	if (!mayBeCounted && confirms(result, receipt))
		await count(tx, { receipt: { ...receipt, receipt: number }, answered });
	return undefined;
}

/** The gateway sends a confirmation once, and no process may have taken it. */
async function countStated(tx: Database, number: string, answered: Answered): Promise<undefined> {
	const { query, result, ownerId, prompted } = answered;
	const { tenantId, shortcode } = query;
	const { amountMinor } = result;
	if (amountMinor === undefined || prompted.isPrompted) return;
	const stated = { gateway: "mobile_money" as const, receipt: number, shortcode, amountMinor };
	if (!confirms(result, stated) || !(await isStated(tx, stated))) return;
	if ((await findCounted(tx, stated.gateway, number)) !== undefined) return;
	const custody = tenantId === ownerId ? ("platform" as const) : ("tenant" as const);
	await count(tx, { receipt: { ...stated, tenantId, custody, currency: mobileMoneyCurrency }, answered });
}

type Confirmed = {
	receipt: Pick<Receipt, "tenantId" | "custody" | "amountMinor" | "currency"> & {
		receipt: string;
		shortcode: string;
	};
	answered: Answered;
};

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
	receipt: Pick<Receipt, "receipt" | "shortcode" | "amountMinor">,
) =>
	code === answeredCode &&
	status === "Completed" &&
	amountMinor === receipt.amountMinor &&
	shortcode === receipt.shortcode &&
	(number === undefined || number === receipt.receipt);
