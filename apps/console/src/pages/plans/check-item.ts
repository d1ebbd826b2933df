import type { InputError } from "../../forms/input-errors.ts";
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
): InputError | undefined {
	if (name === "") return { field: "name", message: words.name };
	if (!codeForms[kind].test(code)) return { field: "code", message: words.code };
	const hasPlace = Number.isInteger(position) && (position ?? -1) >= 0 && (position ?? 0) <= positionMax;
	return kind === "plans" && !hasPlace ? { field: "position", message: words.position } : undefined;
}
