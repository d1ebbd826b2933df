import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { readDecimal } from "../../../inbox/read-decimal.ts";
import { type BalanceResult, type Reading, type ResultIds, unreadable } from "../../../inbox/reading.ts";
import { readCharge, readCharges } from "./read-charge.ts";
import { readTime } from "./read-time.ts";

/** A result as all operations send it: a code and named values. Failed ones carry a placeholder receipt. */
type Result = ResultIds & { code: string; parameters: ReadonlyMap<string, unknown> };

const answeredCode = "0";

/**
 * Reads the answer to a question about one transaction. Its code says only whether the question was
 * answered.
 */
export function readStatusResult(body: unknown): Reading {
	const result = readResult(body);
	if (result === undefined) return unreadable;
	const { parameters, code, originatorId, conversationId } = result;
	const isAnswered = code === answeredCode;
	const said = (name: string) => (isAnswered ? textOf(parameters.get(name)) : undefined);
	return {
		kind: "status",
		result: {
			...{ code, originatorId, conversationId },
			status: said("transactionstatus"),
			receipt: said("receiptno"),
			amountMinor: readDecimal(said("amount")),
			shortcode: /^(\d{5,10})\b/.exec(said("creditpartyname") ?? "")?.[1],
			finishedAt: readTime(said("finalisedtime")),
			chargeMinor: readCharges(said("debitpartycharges")),
		},
	};
}

/** Reads the balances of a shortcode: `name|KES|current|available|uncleared|reserved`, joined by `&`. */
export function readBalanceResult(body: unknown): Reading {
	const result = readResult(body);
	if (result === undefined) return unreadable;
	const { parameters, code, originatorId, conversationId } = result;
	const text = code === answeredCode ? textOf(parameters.get("accountbalance")) : undefined;
	return {
		kind: "balance",
		result: {
			...{ code, originatorId, conversationId },
			accounts: (text ?? "").split("&").flatMap(readAccount),
			finishedAt: readTime(parameters.get("bocompletedtime")),
		},
	};
}

function readAccount(text: string): BalanceResult["accounts"][number][] {
	const [name, currency, current, available] = text.split("|");
	const [currentMinor, availableMinor] = [readDecimal(current), readDecimal(available)];
	if (!name || !currency || currentMinor === undefined || availableMinor === undefined) return [];
	return [{ name, currency, currentMinor, availableMinor }];
}

/** Reads the result of a reversal. Of a failed one the receipt is a placeholder. */
export function readReversalResult(body: unknown): Reading {
	const result = readResult(body);
	if (result === undefined) return unreadable;
	const { parameters, code, originatorId, conversationId } = result;
	const isReversed = code === answeredCode;
	return {
		kind: "reversal",
		result: {
			...{ code, originatorId, conversationId },
			receipt: isReversed ? textOf(memberAt(body, "Result", "TransactionID")) : undefined,
			amountMinor: isReversed ? readDecimal(textOf(parameters.get("amount"))) : undefined,
			chargeMinor: isReversed ? readCharge(parameters.get("charge")) : undefined,
		},
	};
}

/** Reads the result of a payout. Of a failed one the receipt is a placeholder. */
export function readPayoutResult(body: unknown): Reading {
	const result = readResult(body);
	if (result === undefined) return unreadable;
	const { parameters, code, originatorId, conversationId } = result;
	const said = (name: string) => textOf(parameters.get(name));
	const isPaid = code === answeredCode;
	const transactionId = textOf(memberAt(body, "Result", "TransactionID"));
	return {
		kind: "payout",
		result: {
			...{ code, originatorId, conversationId },
			receipt: isPaid ? (said("transactionreceipt") ?? transactionId) : undefined,
			amountMinor: isPaid ? readDecimal(said("transactionamount") ?? said("amount")) : undefined,
			finishedAt: isPaid
				? readTime(parameters.get("transactioncompleteddatetime") ?? parameters.get("transcompletedtime"))
				: undefined,
			chargeMinor: isPaid ? readCharges(said("debitpartycharges")) : undefined,
		},
	};
}

/** A timeout has no documented body: whatever it holds, the outcome is unknown and somebody must ask. */
export const readTimeout = (): Reading => ({ kind: "timeout" });

function readResult(body: unknown): Result | undefined {
	const result = memberAt(body, "Result");
	const code = textOf(memberAt(result, "ResultCode"));
	const originatorId = textOf(memberAt(result, "OriginatorConversationID"));
	const conversationId = textOf(memberAt(result, "ConversationID"));
	if (code === undefined || (originatorId ?? conversationId) === undefined) return undefined;
	const parameters = readParameters(memberAt(result, "ResultParameters", "ResultParameter"));
	return { code, originatorId, conversationId, parameters };
}

/** A list or one object, whose keys may repeat and whose values may be absent: the first value counts. */
function readParameters(given: unknown): ReadonlyMap<string, unknown> {
	const list = Array.isArray(given) ? given : [given];
	const values = new Map<string, unknown>();
	for (const one of list) {
		const key = textOf(memberAt(one, "Key"))?.toLowerCase();
		const value = memberAt(one, "Value");
		if (key !== undefined && value !== undefined && !values.has(key)) values.set(key, value);
	}
	return values;
}
