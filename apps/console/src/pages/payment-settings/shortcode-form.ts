import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readSecrets } from "../payments/read-secrets.ts";
import { shortcodeSecrets } from "./shortcode.queries.ts";

/** Finds the fields that the treasury would refuse. */
export function checkShortcode(
	entered: FormData,
	words: { shortcodeInvalid: string; referenceInvalid: string },
): readonly InputError[] {
	return errorsOf([
		[!/^\d{5,10}$/.test(textOf(entered, "shortcode")), "shortcode", words.shortcodeInvalid],
		[textOf(entered, "account_reference").length > 12, "account_reference", words.referenceInvalid],
	]);
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
