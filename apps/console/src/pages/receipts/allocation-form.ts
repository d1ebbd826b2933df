import { textOf } from "../../forms/form-data.ts";
import type { InputError } from "../../forms/input-errors.ts";
import { readMoney } from "../plans/money-input.ts";
import type { Receipt } from "./receipt.queries.ts";

type Allocatable = Pick<Receipt, "currency" | "unallocated_minor">;

/** Finds the first field that the treasury would refuse, as far as the page can know. */
export function checkAllocation(
	entered: FormData,
	{ receipt, words }: { receipt: Allocatable; words: { intentMissing: string; amountInvalid: string } },
): InputError | undefined {
	if (textOf(entered, "intent_id") === "") return { message: words.intentMissing, field: "intent_id" };
	const text = textOf(entered, "amount_minor");
	const minor = readMoney(text, receipt.currency) ?? 0;
	if (text !== "" && (minor < 1 || minor > receipt.unallocated_minor))
		return { message: words.amountInvalid, field: "amount_minor" };
	return undefined;
}

/** The request of a form that was checked. An empty amount is left out. */
export function readAllocation(entered: FormData, { currency }: Pick<Allocatable, "currency">) {
	const minor = readMoney(textOf(entered, "amount_minor"), currency);
	return {
		intent_id: textOf(entered, "intent_id"),
		unallocated_minor: Number(textOf(entered, "unallocated_minor")),
		...(minor !== undefined && { amount_minor: minor }),
	};
}
