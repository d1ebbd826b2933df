import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { readDecimal } from "../../../inbox/read-decimal.ts";
import { type Reading, unreadable } from "../../../inbox/reading.ts";
import { maskShown } from "../../../money/phone.ts";
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
		payerMasked: maskShown(textOf(memberAt(body, "MSISDN")) ?? ""),
		occurredAt: readTime(memberAt(body, "TransTime")),
	};
	return { kind: "confirmation", confirmation };
}
