import { phoneOf } from "../accounts/phone.ts";
import { accountOf, balanceOf, moveMoney } from "../ledger/movement.ts";
import { newReceipt } from "../ledger/receipt.ts";
import type { Sandbox } from "../sandbox.ts";
import { sendConfirmation } from "./confirmation.ts";
import { validate } from "./validation.ts";

/** What a person pays at a counter. */
export type CounterPayment = {
	ordinal: number;
	phone: string;
	shortcode: string;
	amountMinor: number;
	/** The account number; empty for a till. */
	reference: string;
};

/** What became of it: the receipt, or why it was refused. */
export type CounterResult =
	| { receipt: string }
	| { refused: "shortcode_unknown" | "balance_insufficient" }
	| { refused: "validation_refused"; code: string };

/**
 * Pays, after the owner of the shortcode has validated it where URLs are registered. The confirmation is sent
 * in the background.
 */
export async function payOverTheCounter(sandbox: Sandbox, payment: CounterPayment): Promise<CounterResult> {
	const { tables, clock, background } = sandbox;
	const shortcode = tables.shortcodes.get(payment.shortcode);
	if (shortcode === undefined) return { refused: "shortcode_unknown" };
	const from = accountOf.phone(phoneOf(sandbox, payment.phone).msisdn);
	const isShort = () => balanceOf(sandbox, from) < payment.amountMinor;
	if (isShort()) return { refused: "balance_insufficient" };
	const at = clock.now();
	const { ordinal, phone, amountMinor, reference } = payment;
	const receipt = newReceipt(sandbox, { ordinal, purpose: "receipt", at });
	const validated = await validate(sandbox, { payment, shortcode, receipt, at });
	if (validated.code !== "0") return { refused: "validation_refused", code: validated.code };
	if (isShort()) return { refused: "balance_insufficient" };
	const kind = shortcode.kind === "paybill" ? "paybill" : "till";
	const movement = moveMoney(sandbox, {
		...{ kind, ordinal, receipt, at, amountMinor, phone, shortcode: payment.shortcode, reference, from },
		to: accountOf.shortcode(payment.shortcode, "utility"),
	});
	const { thirdPartyId } = validated;
	background.run(0, () => sendConfirmation(sandbox, { movement, ordinal, thirdPartyId }));
	return { receipt };
}
