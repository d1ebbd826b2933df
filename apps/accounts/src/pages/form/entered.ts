import { isEmail, isName, isSlug } from "@lango/contracts/text";
import { findField } from "@lango/interface";
import type { Explanation } from "../../session/explain-refusal.ts";
import type { Texts } from "../../texts/english.ts";

/** The values of a form by field name. */
export type Entered = Readonly<Record<string, string>>;

/** Reads a form. Trims all values except passwords. */
export function readEntered(form: HTMLFormElement): Entered {
	const entries = [...new FormData(form)].map(([name, value]) => {
		const text = typeof value === "string" ? value : "";
		return [name, name.includes("password") ? text : text.trim()];
	});
	return Object.fromEntries(entries);
}

/** The messages for the empty required fields. */
function findMissing(
	entered: Entered,
	required: ReadonlyArray<keyof Texts["missing"]>,
	{ missing }: Pick<Texts, "missing">,
): Explanation[] {
	const empty = required.filter((name) => (entered[name] ?? "") === "");
	return empty.map((field) => ({ message: missing[field], field }));
}

const isFullName = (text: string) => isName(text, 200);

/** Fields that are checked before the form is sent, with the rules of the service, and their messages. */
const rules = {
	name: [isFullName, "name"],
	email: [isEmail, "email"],
	organization_name: [isFullName, "name"],
	slug: [isSlug, "slug"],
	tenant_slug: [isSlug, "tenant_slug"],
} as const satisfies Record<string, readonly [(text: string) => boolean, keyof Texts["invalid"]]>;

/**
 * Whether the length of a new password is one that the service accepts (`requireStrongPassword` in
 * services/auth/src/passwords/password-rule.ts): 8 to 128 characters.
 */
function isLongEnough(password: string): boolean {
	const { length } = [...password.normalize("NFKC")];
	return length >= 8 && length <= 128 && [...password].length <= 128;
}

/** The messages for the fields that the service would refuse. Empty ones are missing, not wrong. */
export function findInvalid(
	entered: Entered,
	{ invalid, refusal }: Pick<Texts, "invalid" | "refusal">,
	/** The name of the field with a new password. */
	newPassword = "",
): Explanation[] {
	const wrong: Explanation[] = Object.entries(rules).flatMap(([field, [isValid, message]]) => {
		const text = entered[field] ?? "";
		return text === "" || isValid(text) ? [] : [{ message: invalid[message], field }];
	});
	const password = entered[newPassword] ?? "";
	if (password !== "" && !isLongEnough(password))
		wrong.push({ message: refusal.password_weak, field: newPassword });
	return wrong;
}

/** All that is wrong with the fields that are shown, in their order. */
export function findWrong(
	form: HTMLFormElement,
	entered: Entered,
	{ required, texts }: { required: ReadonlyArray<keyof Texts["missing"]>; texts: Texts },
): Explanation[] {
	const newPassword = form.querySelector<HTMLInputElement>('[autocomplete="new-password"]')?.name;
	const fields: (Element | null | undefined)[] = [...form.elements];
	const placeOf = ({ field = "" }: Explanation) => fields.indexOf(findField(form, field));
	const invalid = findInvalid(entered, texts, newPassword).filter(({ field = "" }) =>
		findField(form, field)?.checkVisibility(),
	);
	const wrong = [...findMissing(entered, required, texts), ...invalid];
	return wrong.toSorted((one, other) => placeOf(one) - placeOf(other));
}
