import { type Action, actions } from "@lango/contracts";

/** A permission code of a service: `{service}.{module}.{action}` (spec §2.4). */
export type PermissionCode = `${string}.${string}.${Action}`;

/** The modules of a service with their actions. */
export type Modules = Readonly<Record<string, readonly Action[]>>;

/** A permission and its parts. */
export type Permission = { code: PermissionCode; service: string; module: string; action: Action };

const word = /^[a-z][a-z0-9_-]{0,39}$/;

/** Parses a permission code. Throws an Error if it is invalid; codes are constants, so that is a bug. */
export function readPermission(code: string): Permission {
	const [service = "", module = "", action = "", ...rest] = code.split(".");
	const isAction = (actions as readonly string[]).includes(action);
	if (rest.length > 0 || !word.test(service) || !word.test(module) || !isAction)
		throw new Error(
			`"${code}" is not a permission code: the form is {service}.{module}.{action}, with one of the actions ${actions.join(", ")}`,
		);
	return { code: code as PermissionCode, service, module, action: action as Action };
}

/** Lists every permission of a service, in the declared order. */
export function permissionsOfModules(service: string, modules: Modules): Permission[] {
	return Object.entries(modules).flatMap(([module, known]) =>
		known.map((action) => readPermission(`${service}.${module}.${action}`)),
	);
}

/** Describes a permission: its resource and a text. */
export function describePermission({ service, module, action }: Permission): {
	resource: string;
	description: string;
} {
	return {
		resource: `${service}.${module}`,
		description: `${action.replace("_", " ")} in ${module.replaceAll(/[_-]/g, " ")}`,
	};
}

export type GrantScope = {
	/** Everything that the service declares. */
	permissions: readonly Permission[];
	/**
	 * Modules that a wildcard over modules does not include, because access to the service's business data must
	 * not imply access to them.
	 */
	administrative: readonly string[];
};

/**
 * Expands the grants of a role: a code itself, `hospital.*` everything, `hospital.*.view` that action of
 * every module except the administrative ones, `hospital.patients.*` everything in a module. Throws an Error
 * for an undeclared code.
 */
export function expandGrants(
	patterns: readonly string[],
	{ permissions, administrative }: GrantScope,
): PermissionCode[] {
	const granted = new Set(
		patterns.flatMap((pattern) => {
			const [service, module, action, ...rest] = pattern.split(".");
			const matching = permissions.filter(
				(one) =>
					rest.length === 0 &&
					one.service === service &&
					(module === "*"
						? action === undefined || !administrative.includes(one.module)
						: one.module === module) &&
					(action === undefined ? module === "*" : action === "*" || one.action === action),
			);
			if (matching.length === 0 && !isWildcard(pattern, permissions))
				throw new Error(`a role grants "${pattern}", which is not declared`);
			return matching.map(({ code }) => code);
		}),
	);
	return permissions.map(({ code }) => code).filter((code) => granted.has(code));
}

/**
 * Whether a pattern is a wildcard over modules, which may match nothing in a service without modules. The
 * service must be spelled correctly.
 */
function isWildcard(pattern: string, permissions: readonly Permission[]): boolean {
	const [service, module, action = "view", ...rest] = pattern.split(".");
	const isAction = (actions as readonly string[]).includes(action);
	return (
		module === "*" && rest.length === 0 && isAction && permissions.some((one) => one.service === service)
	);
}
