/** The reasons why a change of access is refused. They are public as codes of failures. */
export type AccessRefusal =
	/** The tenant or the service already has a role with this name. */
	| "role_exists"
	/** System roles belong to the service and change with its releases. */
	| "role_is_system"
	/** The role is assigned. */
	| "role_in_use"
	| "roles_full"
	/** The role follows from the person's global roles. */
	| "first_role"
	| "assignments_full"
	/** The tenant would have no person left who can assign roles. */
	| "last_administrator"
	/** The change needs permissions that the actor does not hold; `missing` names them. */
	| "exceeds_own_rights"
	| "api_keys_full";

/** A refused change of access. Nothing was changed. */
export class AccessRefused extends Error {
	readonly code: AccessRefusal;
	readonly fields: Readonly<Record<string, unknown>>;

	constructor(code: AccessRefusal, fields: Readonly<Record<string, unknown>> = {}) {
		super(`access change refused: ${code}`);
		this.name = "AccessRefused";
		this.code = code;
		this.fields = fields;
	}
}

/** The kinds of things that a change of access can refer to. */
export type AccessNoun = "role" | "user" | "outlet" | "outlets" | "permission" | "assignment" | "api_key";

/** Something named in a change does not exist in the tenant. */
export class UnknownToAccess extends Error {
	readonly what: AccessNoun;

	constructor(what: AccessNoun, name: string) {
		super(`${what.replace("_", " ")} "${name}" not found`);
		this.name = "UnknownToAccess";
		this.what = what;
	}
}

/** The permissions of the actor where the change has its effect. */
export type OwnRights = (permission: string) => boolean;

/**
 * Throws AccessRefused `exceeds_own_rights` if the actor does not hold one of the permissions. Without `may`
 * nothing is checked.
 */
export function requireWithin(may: OwnRights | undefined, permissions: readonly string[]): void {
	if (may === undefined) return;
	const missing = [...new Set(permissions)].filter((code) => !may(code)).sort();
	if (missing.length > 0) throw new AccessRefused("exceeds_own_rights", { missing: missing.slice(0, 50) });
}
