import { errorsOf, type InputError } from "../../forms/rules.ts";
import type { Kind } from "./catalogue.queries.ts";

const codeForms: Readonly<Record<Kind, RegExp>> = {
	plans: /^[A-Z][A-Z0-9_]{1,62}$/,
	"add-ons": /^[a-z][a-z0-9_]{1,62}$/,
};
const positionMax = 999_999_999;

/**
 * Validates a new plan or add-on. Plans have uppercase codes and a position, add-ons have lowercase codes.
 */
export function checkItem(
	{ code, name, position }: { code: string; name: string; position?: number },
	kind: Kind,
	words: { code: string; name: string; position: string },
): readonly InputError[] {
	const hasPlace = Number.isInteger(position) && (position ?? -1) >= 0 && (position ?? 0) <= positionMax;
	return errorsOf([
		[name === "", "name", words.name],
		[!codeForms[kind].test(code), "code", words.code],
		[kind === "plans" && !hasPlace, "position", words.position],
	]);
}
