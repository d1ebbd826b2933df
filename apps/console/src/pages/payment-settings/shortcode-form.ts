import { textOf } from "../../forms/form-data.ts";
import type { InputError } from "../../forms/input-errors.ts";
import { readSecrets } from "../payments/read-secrets.ts";
import { shortcodeSecrets } from "./shortcode.queries.ts";

/** Finds the first field that the treasury would refuse. */
export function checkShortcode(
	entered: FormData,
	words: { shortcodeInvalid: string; referenceInvalid: string },
): InputError | undefined {
	if (!/^\d{5,10}$/.test(textOf(entered, "shortcode")))
		return { message: words.shortcodeInvalid, field: "shortcode" };
	if (textOf(entered, "account_reference").length > 12)
		return { message: words.referenceInvalid, field: "account_reference" };
	return undefined;
}

/** The request of a form: optional texts are left out if they are empty, secrets if they stay. */
export function readShortcode(entered: FormData): Record<string, unknown> {
	const optional = ["initiator_name", "account_reference"]
		.map((name) => [name, textOf(entered, name)])
		.filter(([, value]) => value !== "");
	return {
		shortcode: textOf(entered, "shortcode"),
		kind: textOf(entered, "kind"),
		unknown_accounts: textOf(entered, "unknown_accounts"),
		refund_excess: entered.get("refund_excess") !== null,
		...Object.fromEntries(optional),
		...readSecrets(entered, shortcodeSecrets),
	};
}
