import { type Action, actions } from "@lango/contracts";

/** What may be granted in a service: `{service}.{module}.{action}` (spec §2.4). */
export type PermissionCode = `${string}.${string}.${Action}`;

/** The modules of a service and the actions each knows. */
export type Modules = Readonly<Record<string, readonly Action[]>>;

/** A permission and its parts. */
export type Permission = { code: PermissionCode; service: string; module: string; action: Action };

const word = /^[a-z][a-z0-9_-]{0,39}$/;

/** Takes a code apart. Throws an Error when it is none: codes are constants of the code, so that is a bug. */
export function readPermission(code: string): Permission {
	const [service = "", module = "", action = "", ...rest] = code.split(".");
	const isAction = (actions as readonly string[]).includes(action);
	if (rest.length > 0 || !word.test(service) || !word.test(module) || !isAction)
		throw new Error(
			`"${code}" is no permission: they are written {service}.{module}.{action}, the action one of ${actions.join(", ")}`,
		);
	return { code: code as PermissionCode, service, module, action: action as Action };
}

/** Every permission of a service, in the order declared. */
export function permissionsOfModules(service: string, modules: Modules): Permission[] {
	return Object.entries(modules).flatMap(([module, known]) =>
		known.map((action) => readPermission(`${service}.${module}.${action}`)),
	);
}

/** What a permission is about, and what it means. */
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
	/** Everything the service declares. */
	permissions: readonly Permission[];
	/** Modules that a wildcard over modules leaves out, because whoever may see the service's trade may not see these. */
	administrative: readonly string[];
};

/**
 * What a role's declaration grants: a code as it stands, `hospital.*` everything, `hospital.*.view` that action of every
 * module but the administrative ones, `hospital.patients.*` all of a module. Throws an Error for a code nobody declared.
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

/** A wildcard over the modules may match nothing in a service that has none yet; a misspelt service is a mistake all the same. */
function isWildcard(pattern: string, permissions: readonly Permission[]): boolean {
	const [service, module, action = "view", ...rest] = pattern.split(".");
	const isAction = (actions as readonly string[]).includes(action);
	return (
		module === "*" && rest.length === 0 && isAction && permissions.some((one) => one.service === service)
	);
}
