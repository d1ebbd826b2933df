import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { Receipt } from "./receipt.queries.ts";

type Allocatable = Pick<Receipt, "currency" | "unallocated_minor">;

/** Finds the fields that the treasury would refuse, as far as the page can know. */
export function checkAllocation(
	entered: FormData,
	{
		receipt,
		words,
	}: { receipt: Allocatable; words: Record<"tenantMissing" | "intentMissing" | "amountInvalid", string> },
): readonly InputError[] {
	const text = textOf(entered, "amount_minor");
	const minor = readMoney(text, receipt.currency) ?? 0;
	// The platform owner first says whose payments are offered.
	const isTenantMissing = entered.has("tenant") && textOf(entered, "tenant") === "";
	return errorsOf([
		[isTenantMissing, "tenant", words.tenantMissing],
		[!isTenantMissing && textOf(entered, "intent_id") === "", "intent_id", words.intentMissing],
		[text !== "" && (minor < 1 || minor > receipt.unallocated_minor), "amount_minor", words.amountInvalid],
	]);
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
