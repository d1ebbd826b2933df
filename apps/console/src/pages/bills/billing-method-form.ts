import { textOf } from "../../forms/form-data.ts";
import type { InputError } from "../../forms/submit-form.tsx";

/** Finds the first field that the treasury would refuse, as far as the page can know. */
export function checkMethod(
	entered: FormData,
	words: { phoneMissing: string; emailInvalid: string },
): InputError | undefined {
	if (textOf(entered, "kind") === "push" && textOf(entered, "phone").length < 9)
		return { message: words.phoneMissing, field: "phone" };
	const email = textOf(entered, "email");
	if (email !== "" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
		return { message: words.emailInvalid, field: "email" };
	return undefined;
}

/** The request of a form: a phone is sent for prompts only, and an empty e-mail address is left out. */
export function readMethod(entered: FormData): Record<string, string> {
	const kind = textOf(entered, "kind");
	const email = textOf(entered, "email");
	return {
		kind,
		...(kind === "push" && { phone: textOf(entered, "phone") }),
		...(email !== "" && { email }),
	};
}
