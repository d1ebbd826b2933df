import { namePermission } from "../access/permission-names.ts";
import type { AccessTexts } from "../access/texts.ts";
import type { ApiKeyTexts } from "./texts.ts";

/**
 * The name of a key's permission: "Orders: change", or "Orders: change (whole platform)" for a code such as
 * "orders:change".
 */
export function nameKeyPermission(
	code: string,
	{ words, access }: { words: ApiKeyTexts; access: AccessTexts },
): string {
	const [module, action] = code.split(":");
	if (action === undefined) return namePermission(code, access);
	return words.platformCode(namePermission(`platform.${module}.${action}`, access));
}
