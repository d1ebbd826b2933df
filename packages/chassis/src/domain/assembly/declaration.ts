import {
	expandGrants,
	type Modules,
	type Permission,
	type PermissionCode,
	permissionsOfModules,
	readPermission,
} from "@lango/access";
import { canonicalPermissions, type GlobalRole } from "@lango/contracts";
import { admittingPermissions, type Route } from "../../request/route.ts";

/** Matches all global roles, in the last line of `firstRole`. */
export const everyone = "everyone";

/**
 * The first role of a person by global role (spec §2.4). The first matching line applies; the last is for
 * everyone.
 */
export type FirstRole = ReadonlyArray<
	readonly [globalRoles: readonly GlobalRole[] | typeof everyone, role: string]
>;

/** The permissions and roles of a service, as its `service.ts` declares them. */
export type AccessTable = {
	/**
	 * The nouns of the service and the actions each knows: `patients: ["add", "view"]` is
	 * `hospital.patients.add`, ….
	 */
	permissions: Modules;
	/** What each role grants: codes, `hospital.*`, `hospital.*.view`, `hospital.patients.*`. */
	roles: Readonly<Record<string, readonly string[]>>;
	firstRole: FirstRole;
	/** Declared codes that no route uses yet, each with where the specification lists it. */
	reserved?: Readonly<Record<string, string>>;
};

/** The table, worked out: every permission, what each role holds, who gets which role first. */
export type ResolvedAccess = {
	permissions: readonly Permission[];
	roles: Readonly<Record<string, readonly PermissionCode[]>>;
	firstRoleOf: (globalRoles: readonly string[]) => string;
	reserved: ReadonlySet<string>;
};

/**
 * Modules every service has. They are administration: a role gets them by name or by `<service>.*`, and not
 * by `<service>.*.view`, because a role that may see all business data may not see the administration.
 */
const administration: Modules = {
	config: ["view", "manage"],
	roles: ["view", "manage"],
	permissions: ["view"],
	users: ["view"],
	api_keys: ["view", "manage"],
	audit: ["view"],
};

/**
 * Resolves the table. Throws an Error if a role grants an undeclared permission, or if `firstRole` names an
 * unknown role.
 */
export function resolveAccess(
	service: string,
	{ permissions, roles, firstRole, reserved = {} }: AccessTable,
): ResolvedAccess {
	for (const module of Object.keys(administration))
		if (permissions[module] !== undefined)
			throw new Error(`the module "${module}" comes with the chassis: leave it out of ${service}`);
	const all = permissionsOfModules(service, { ...permissions, ...administration });
	const scope = { permissions: all, administrative: Object.keys(administration) };
	const granted = Object.entries(roles).map(
		([role, patterns]) => [role, expandGrants(patterns, scope)] as const,
	);
	if (firstRole.at(-1)?.[0] !== everyone)
		throw new Error(`the last line of firstRole of ${service} is for everyone`);
	for (const [, role] of firstRole)
		if (roles[role] === undefined)
			throw new Error(`firstRole of ${service} names "${role}", which is not a role`);
	for (const code of Object.keys(reserved)) requireDeclared(code, all, `${service} reserves`);
	return {
		permissions: all,
		roles: Object.fromEntries(granted),
		firstRoleOf: (globalRoles) => firstFit(firstRole, globalRoles),
		reserved: new Set(Object.keys(reserved)),
	};
}

/**
 * Checks that every permission that a route names is declared, and that every declared permission guards a
 * route or is reserved. Throws an Error that names the route or the permission, so that the service does
 * not start.
 */
export function requireGuards(routes: readonly Route[], { permissions, reserved }: ResolvedAccess): void {
	const named = routes.flatMap((route) => permissionsNamedBy(route, permissions));
	const idle = permissions
		.map(({ code }) => code)
		.filter((code) => !named.includes(code) && !reserved.has(code));
	if (idle.length > 0)
		throw new Error(`no route needs ${idle.join(", ")}: guard one with it, reserve it, or leave it out`);
}

function permissionsNamedBy(declaration: Route, declared: readonly Permission[]): readonly string[] {
	const { access, method, url } = declaration;
	if (access === undefined) throw new Error(`${method} ${url} does not say who may call it`);
	if (access.kind !== "permit") return [];
	const { canonical } = access;
	const permissions = admittingPermissions(declaration);
	const where = `${method} ${url} needs`;
	for (const code of permissions) requireDeclared(code, declared, where);
	if (canonical !== undefined && !(canonicalPermissions as readonly string[]).includes(canonical))
		throw new Error(`${where} "${canonical}", which no token carries`);
	if (permissions.length === 0 && canonical === undefined)
		throw new Error(`${where} a permission, but names none`);
	if (declaration.own === true && permissions.length === access.permissions.length)
		throw new Error(`${where} no permission that has an _own, but says own`);
	return permissions;
}

function requireDeclared(code: string, permissions: readonly Permission[], where: string): void {
	readPermission(code);
	if (!permissions.some((one) => one.code === code))
		throw new Error(`${where} "${code}", which is not declared`);
}

function firstFit(firstRole: FirstRole, globalRoles: readonly string[]): string {
	const fit = firstRole.find(
		([from]) => from === everyone || from.some((role) => globalRoles.includes(role)),
	);
	if (fit === undefined) throw new Error("the last line of firstRole is for everyone");
	return fit[1];
}
