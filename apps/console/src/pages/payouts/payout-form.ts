import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { PayoutRequest, ShortcodeKind } from "./payout.queries.ts";
import { commandNamed, kindNamed, numberKind } from "./payout-payee.ts";

type Words = {
	recipientMissing: string;
	amountInvalid: string;
	toInvalid: Readonly<Record<ShortcodeKind, string>>;
	accountMissing: string;
	remarksMissing: string;
};

/** How many digits the number of each kind of payee has. */
const toForm = {
	customer: /^\+?[\d\s]{9,16}$/,
	personal_till: /^\d{5,8}$/,
	business: /^\d{5,8}$/,
	own_working: /^$/,
} as const;

const kindOf = (entered: FormData) => kindNamed(textOf(entered, "kind"));
const commandOf = (entered: FormData) => commandNamed(kindOf(entered), textOf(entered, "command"));
const isByCard = (entered: FormData) => textOf(entered, "rail") === "card_gateway";

/** Finds the fields that the treasury would refuse, as far as the page can know. */
export function checkPayout(
	entered: FormData,
	{ currency, words }: { currency: string; words: Words },
): readonly InputError[] {
	const text = textOf(entered, "amount_minor");
	const byCard = isByCard(entered);
	const number = numberKind(kindOf(entered), commandOf(entered));
	const needsAccount = !byCard && number === "business";
	const isAmount = (byCard && text === "") || (readMoney(text, currency) ?? 0) >= 1;
	return errorsOf([
		[byCard && textOf(entered, "recipient_id") === "", "recipient_id", words.recipientMissing],
		[!byCard && !toForm[number].test(textOf(entered, "to")), "to", words.toInvalid[number]],
		[needsAccount && textOf(entered, "account") === "", "account", words.accountMissing],
		[!isAmount, "amount_minor", words.amountInvalid],
		[!byCard && textOf(entered, "remarks") === "", "remarks", words.remarksMissing],
	]);
}

/** The request of a form that was checked. What is empty is left out. */
export function readPayout(entered: FormData, currency: string): PayoutRequest {
	const amountMinor = readMoney(textOf(entered, "amount_minor"), currency);
	const amount = amountMinor === undefined ? {} : { amount_minor: amountMinor };
	if (isByCard(entered))
		return { rail: "card_gateway", recipient_id: textOf(entered, "recipient_id"), ...amount };
	const command = commandOf(entered);
	const given = (name: string) => (textOf(entered, name) === "" ? {} : { [name]: textOf(entered, name) });
	return {
		...{ rail: "mobile_money", kind: kindOf(entered), remarks: textOf(entered, "remarks") },
		...{ amount_minor: amountMinor ?? 0, ...given("to"), ...given("account") },
		...(command !== undefined && { command }),
	};
}
