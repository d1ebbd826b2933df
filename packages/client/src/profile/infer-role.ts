import type { ServiceOptions } from "../options.ts";

/** The administrator's role of services that do not call it `{service}_admin` (§2.4). */
const adminRoles: Readonly<Record<string, string>> = {
	treasury: "finance_admin",
	logistics: "admin",
	notifications: "super_admin",
};

/** The role a service would give first, for one whose auth/me answers 404 (§2.4, §5.14). */
export function inferServiceRole(
	{ name, roles }: Pick<ServiceOptions, "name" | "roles">,
	globalRoles: readonly string[],
): string {
	const held = (...names: string[]) => names.some((role) => globalRoles.includes(role));
	if (held("superuser", "admin")) return roles?.admin ?? adminRoles[name] ?? `${name}_admin`;
	if (held("staff")) return roles?.staff ?? `${name}_operator`;
	return roles?.other ?? `${name}_viewer`;
}
