import { type GlobalRole, roleNames } from "@lango/contracts";

/**
 * Names roles for a mail in the language of `locale`, for example "Manager, Cashier". An unknown role is its
 * code.
 */
export function roleText(roles: readonly string[], locale = "en"): string {
	const names: Readonly<Partial<Record<string, string>>> = locale.startsWith("sw")
		? roleNames.sw
		: roleNames.en;
	return roles.map((role) => names[role as GlobalRole] ?? role).join(", ");
}
