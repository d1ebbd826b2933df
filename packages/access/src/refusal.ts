/** Why a change of access is refused; the words are public as codes of failures. */
export type AccessRefusal =
	/** The tenant, or the service, has a role of this name already. */
	| "role_exists"
	/** System roles come with the service and change with its releases. */
	| "role_is_system"
	/** Somebody has the role. */
	| "role_in_use"
	| "roles_full"
	/** It is the role that follows from the person's global roles. */
	| "first_role"
	| "assignments_full"
	/** Nobody who may assign roles would be left in the tenant. */
	| "last_administrator"
	/** It would give, change or take away more than whoever asks holds; `missing` names the permissions. */
	| "exceeds_own_rights"
	| "api_keys_full";

/** A change of access that is refused because of what is there, or of who asks. Nothing was changed. */
export class AccessRefused extends Error {
	readonly code: AccessRefusal;
	readonly fields: Readonly<Record<string, unknown>>;

	constructor(code: AccessRefusal, fields: Readonly<Record<string, unknown>> = {}) {
		super(`a change of access is refused: ${code}`);
		this.name = "AccessRefused";
		this.code = code;
		this.fields = fields;
	}
}

/** What can be named in a change of access and not be there. */
export type AccessNoun = "role" | "user" | "outlet" | "outlets" | "permission" | "assignment" | "api_key";

/** Something named that this service does not know, or that is another tenant's. */
export class UnknownToAccess extends Error {
	readonly what: AccessNoun;

	constructor(what: AccessNoun, name: string) {
		super(`there is no ${what.replace("_", " ")} "${name}"`);
		this.name = "UnknownToAccess";
		this.what = what;
	}
}

/** What whoever changes access may do themselves, there where the change has its effect. */
export type OwnRights = (permission: string) => boolean;

/** Throws AccessRefused `exceeds_own_rights` when one of the permissions is more than that; without rights nothing is asked. */
export function requireWithin(may: OwnRights | undefined, permissions: readonly string[]): void {
	if (may === undefined) return;
	const missing = [...new Set(permissions)].filter((code) => !may(code)).sort();
	if (missing.length > 0) throw new AccessRefused("exceeds_own_rights", { missing: missing.slice(0, 50) });
}
