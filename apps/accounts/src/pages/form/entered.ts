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

/** The message for the first empty required field. */
export function findMissing(
	entered: Entered,
	required: ReadonlyArray<keyof Texts["missing"]>,
	{ missing }: Pick<Texts, "missing">,
): Explanation | undefined {
	const field = required.find((name) => (entered[name] ?? "") === "");
	return field === undefined ? undefined : { message: missing[field], field };
}

/** Fields that are checked before the form is sent, with the rules of the service. */
const rules = {
	email: isEmail,
	name: (text: string) => isName(text, 200),
	organization_name: (text: string) => isName(text, 200),
} as const;

/** The message for the first field that the service would refuse. */
export function findInvalid(entered: Entered, { invalid }: Pick<Texts, "invalid">): Explanation | undefined {
	for (const [field, isValid] of Object.entries(rules)) {
		const text = entered[field];
		if (text === undefined || isValid(text)) continue;
		return { message: field === "email" ? invalid.email : invalid.name, field };
	}
	return undefined;
}
