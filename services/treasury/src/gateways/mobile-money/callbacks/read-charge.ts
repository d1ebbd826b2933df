import { textOf } from "../../../inbox/read-body.ts";
import { readDecimal } from "../../../inbox/read-decimal.ts";
import { amountMax, mobileMoneyCurrency } from "../../../money/amount.ts";

/**
 * Reads what the gateway charged the payer of a transaction: `Fee For B2C Payment|KES|22.40`, several joined
 * by `&`. Undefined if it says nothing, or if a part cannot be read: that does not make the transaction
 * doubtful.
 */
export function readCharges(value: unknown): bigint | undefined {
	const text = textOf(value);
	if (text === undefined) return undefined;
	const charges = text.split("&").map(readPart);
	return charges.every((one) => one !== undefined)
		? atMost(charges.reduce((sum, one) => sum + one, 0n))
		: undefined;
}

/** Reads a charge that is a number alone, as the result of a reversal has it. */
export function readCharge(value: unknown): bigint | undefined {
	const chargeMinor = readDecimal(textOf(value));
	return chargeMinor === undefined || chargeMinor < 0n ? undefined : atMost(chargeMinor);
}

function readPart(text: string): bigint | undefined {
	const [, currency, amount, ...more] = text.split("|").map((part) => part.trim());
	return currency === mobileMoneyCurrency && more.length === 0 ? readCharge(amount) : undefined;
}

const atMost = (chargeMinor: bigint): bigint | undefined =>
	chargeMinor <= amountMax ? chargeMinor : undefined;
