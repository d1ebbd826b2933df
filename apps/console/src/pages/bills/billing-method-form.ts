import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";

/** Whether a method asks a phone. */
export const needsPhone = (kind: string): boolean => kind === "push" || kind === "standing_order";

/** Finds the fields that the treasury would refuse, as far as the page can know. */
export function checkMethod(
	entered: FormData,
	words: { phoneMissing: string; cardMissing: string; emailInvalid: string },
): readonly InputError[] {
	const kind = textOf(entered, "kind");
	const needsCard = kind === "card_subscription";
	return errorsOf([
		[needsPhone(kind) && textOf(entered, "phone").length < 9, "phone", words.phoneMissing],
		[needsCard && textOf(entered, "authorization_id") === "", "authorization_id", words.cardMissing],
		[!/^$|^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(textOf(entered, "email")), "email", words.emailInvalid],
	]);
}

/** The request of a form: a phone or a card is sent with its method only, and no empty e-mail address. */
export function readMethod(entered: FormData): Record<string, string> {
	const kind = textOf(entered, "kind");
	const email = textOf(entered, "email");
	return {
		kind,
		...(needsPhone(kind) && { phone: textOf(entered, "phone") }),
		...(kind === "card_subscription" && { authorization_id: textOf(entered, "authorization_id") }),
		...(email !== "" && { email }),
	};
}
