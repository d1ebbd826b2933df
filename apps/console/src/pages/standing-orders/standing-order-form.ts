import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";

type Words = {
	phoneInvalid: string;
	amountInvalid: string;
	startInvalid: string;
	endInvalid: string;
	descriptionMissing: string;
};

/** Mobile money takes whole shillings. */
const currency = "KES";

const amountOf = (entered: FormData): number => readMoney(textOf(entered, "amount_minor"), currency) ?? 0;

/** Finds all that the treasury would refuse, as far as the page can know. Days are compared as text. */
export function checkOrder(
	entered: FormData,
	{ today, words }: { today: string; words: Words },
): readonly InputError[] {
	const [start, end] = [textOf(entered, "start_on"), textOf(entered, "end_on")];
	const amount = amountOf(entered);
	return errorsOf([
		[!/^\+?[\d\s]{9,16}$/.test(textOf(entered, "phone")), "phone", words.phoneInvalid],
		[amount < 100 || amount % 100 !== 0, "amount_minor", words.amountInvalid],
		[start < today, "start_on", words.startInvalid],
		[end === "" || end < start, "end_on", words.endInvalid],
		[textOf(entered, "description") === "", "description", words.descriptionMissing],
	]);
}

/** The request of a form that was checked. */
export const readOrder = (entered: FormData) => ({
	...{ phone: textOf(entered, "phone"), frequency: textOf(entered, "frequency") },
	...{ amount_minor: amountOf(entered), description: textOf(entered, "description") },
	...{ start_on: textOf(entered, "start_on"), end_on: textOf(entered, "end_on") },
});
