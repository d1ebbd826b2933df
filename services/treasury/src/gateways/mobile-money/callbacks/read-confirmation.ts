import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { readDecimal } from "../../../inbox/read-decimal.ts";
import { type Reading, unreadable } from "../../../inbox/reading.ts";
import { readTime } from "./read-time.ts";

/**
 * Reads a confirmation: a flat body of texts about money that has moved. It also comes for push prompts and
 * standing orders. The phone is masked by the gateway, and is never a key.
 */
export function readConfirmation(body: unknown): Reading {
	const receipt = textOf(memberAt(body, "TransID"));
	const amountMinor = readDecimal(memberAt(body, "TransAmount"));
	const shortcode = textOf(memberAt(body, "BusinessShortCode"));
	if (receipt === undefined || shortcode === undefined || amountMinor === undefined || amountMinor <= 0n)
		return unreadable;
	const confirmation = {
		...{ receipt, amountMinor, shortcode },
		accountRef: textOf(memberAt(body, "BillRefNumber")),
		payerMasked: maskAgain(textOf(memberAt(body, "MSISDN"))),
		occurredAt: readTime(memberAt(body, "TransTime")),
	};
	return { kind: "confirmation", confirmation };
}

/**
 * Some senders do not mask the number: only the last three digits and the first four stay. Of a hash
 * nothing is shown.
 */
const maskAgain = (phone: string | undefined): string | undefined =>
	phone !== undefined && /^[\d\s+*•]*\d{3}$/.test(phone)
		? `${phone.slice(0, 4)}•••••${phone.slice(-3)}`
		: undefined;
