import { isEmail, isName } from "@lango/contracts/text";
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
export function findMissing(
	entered: Entered,
	required: ReadonlyArray<keyof Texts["missing"]>,
	{ missing }: Pick<Texts, "missing">,
): Explanation[] {
	const empty = required.filter((name) => (entered[name] ?? "") === "");
	return empty.map((field) => ({ message: missing[field], field }));
}

/** Fields that are checked before the form is sent, with the rules of the service. */
const rules = {
	email: isEmail,
	name: (text: string) => isName(text, 200),
	organization_name: (text: string) => isName(text, 200),
} as const;

/** The messages for the fields that the service would refuse. Empty ones are missing, not wrong. */
export function findInvalid(entered: Entered, { invalid }: Pick<Texts, "invalid">): Explanation[] {
	const wrong = Object.entries(rules).filter(([field, isValid]) => {
		const text = entered[field] ?? "";
		return text !== "" && !isValid(text);
	});
	return wrong.map(([field]) => ({ message: field === "email" ? invalid.email : invalid.name, field }));
}
