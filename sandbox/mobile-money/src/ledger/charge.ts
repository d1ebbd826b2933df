import type { Shortcode } from "../accounts/shortcode.ts";
import type { Call } from "../gateway/operation.ts";
import type { Sandbox } from "../sandbox.ts";
import { accountOf, type Movement, moveMoney } from "./movement.ts";
import { printAmount } from "./text.ts";

/**
 * Charges a shortcode for a movement of its money, if it is charged at all, and records on the movement how
 * much it was. Between the accounts of one shortcode money moves free of charge.
 */
export function charge(
	{ sandbox, ordinal, at }: Pick<Call, "sandbox" | "ordinal" | "at">,
	movement: Movement,
	{ shortcode, chargeMinor = 0 }: Shortcode,
): void {
	if (chargeMinor === 0 || movement.kind === "own_working") return;
	const { receipt, conversationId, originatorId } = movement;
	sandbox.tables.movements.put(receipt, { ...movement, chargeMinor });
	moveMoney(sandbox, {
		...{ kind: "charge", purpose: "charge", ordinal, at, amountMinor: chargeMinor, shortcode },
		...{ reference: receipt, conversationId, originatorId },
		...{ from: accountOf.shortcode(shortcode, "charges"), to: accountOf.charges },
	});
}

const names: Partial<Record<Movement["kind"], string>> = {
	payout: "Fee For B2C Payment",
	business: "Fee For B2B Payment",
	reversal: "Fee For Reversal",
};

/** What a request was charged with, as its result says it. */
export function chargeOf({ tables }: Sandbox, { transactionId }: { transactionId: string }): string {
	const movement = tables.movements.get(transactionId);
	return movement === undefined ? "" : printCharge(movement);
}

/** What a movement was charged with, as results say it: `name|KES|22.40`, or empty. */
export const printCharge = ({ kind, chargeMinor = 0 }: Pick<Movement, "kind" | "chargeMinor">): string =>
	chargeMinor === 0 ? "" : `${names[kind] ?? "Fee"}|KES|${printAmount(chargeMinor)}`;
