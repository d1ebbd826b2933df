import type { ServiceOptions } from "../options/options.ts";

/** The administrator roles of services where it is not `{service}_admin` (§2.4). */
const adminRoles: Readonly<Record<string, string>> = {
	treasury: "finance_admin",
	logistics: "admin",
	notifications: "super_admin",
};

/** Infers the service role from the global roles, for a service whose auth/me responds 404 (§2.4, §5.14). */
export function inferServiceRole(
	{ name, roles }: Pick<ServiceOptions, "name" | "roles">,
	globalRoles: readonly string[],
): string {
	const hasAny = (...names: string[]) => names.some((role) => globalRoles.includes(role));
	if (hasAny("superuser", "admin")) return roles?.admin ?? adminRoles[name] ?? `${name}_admin`;
	if (hasAny("staff")) return roles?.staff ?? `${name}_operator`;
	return roles?.other ?? `${name}_viewer`;
}
