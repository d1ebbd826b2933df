import { textOf } from "../../forms/form-data.ts";
import type { InputError } from "../../forms/input-errors.ts";

/** Whether a method asks a phone. */
export const needsPhone = (kind: string): boolean => kind === "push" || kind === "standing_order";

/** Finds the first field that the treasury would refuse, as far as the page can know. */
export function checkMethod(
	entered: FormData,
	words: { phoneMissing: string; cardMissing: string; emailInvalid: string },
): InputError | undefined {
	const kind = textOf(entered, "kind");
	if (needsPhone(kind) && textOf(entered, "phone").length < 9)
		return { message: words.phoneMissing, field: "phone" };
	if (kind === "card_subscription" && textOf(entered, "authorization_id") === "")
		return { message: words.cardMissing, field: "authorization_id" };
	const email = textOf(entered, "email");
	if (email !== "" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
		return { message: words.emailInvalid, field: "email" };
	return undefined;
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
