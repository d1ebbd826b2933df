import Type, { type Static } from "typebox";
import { type GlobalRole, globalRoles } from "./role-names.ts";

export { type GlobalRole, globalRoles };

/**
 * The actions of a service permission (spec §2.4). `manage` includes every action of its module, and an
 * action includes its `_own` form.
 */
export const actions = [
	"add",
	"view",
	"view_own",
	"change",
	"change_own",
	"delete",
	"delete_own",
	"manage",
	"manage_own",
] as const;
export type Action = (typeof actions)[number];

/**
 * The permission codes in tokens: those of the sign-on service and the cross-service `<resource>:<verb>`
 * codes (spec §2.3).
 */
export const canonicalPermissions = [
	"auth.profile.view",
	"auth.profile.change",
	"auth.users.view",
	"auth.users.change",
	"auth.outlets.view",
	"auth.outlets.change",
	"auth.settings.change",
	"auth.clients.manage",
	"auth.tenants.manage",
	"catalog:view",
	"catalog:manage",
	"orders:read",
	"orders:change",
	"riders:read",
	"riders:change",
] as const;
export type CanonicalPermission = (typeof canonicalPermissions)[number];

const own = ["auth.profile.view", "auth.profile.change"] as const;
const manager = [
	...own,
	"auth.users.view",
	"auth.outlets.view",
	"catalog:view",
	"catalog:manage",
	"orders:read",
	"orders:change",
	"riders:read",
] as const;
const admin = [
	...manager,
	"auth.users.change",
	"auth.outlets.change",
	"auth.settings.change",
	"riders:change",
] as const;
const front = [...own, "catalog:view", "orders:read", "orders:change"] as const;

/** The canonical permissions of each global role. */
export const rolePermissions: Readonly<Record<GlobalRole, readonly CanonicalPermission[]>> = {
	superuser: canonicalPermissions,
	admin,
	manager,
	cashier: front,
	waiter: front,
	kitchen: [...own, "catalog:view", "orders:read", "orders:change"],
	bar: [...own, "catalog:view", "orders:read", "orders:change"],
	receptionist: front,
	staff: [...own, "catalog:view", "orders:read"],
	member: [...own, "catalog:view"],
	rider: [...own, "orders:read", "riders:read"],
	viewer: [...own, "catalog:view"],
};

/** Returns the permissions of some roles, each once, in the order of `canonicalPermissions`. */
export function permissionsOf(roles: readonly string[]): CanonicalPermission[] {
	const held = new Set(roles.flatMap((role) => rolePermissions[role as GlobalRole] ?? []));
	return canonicalPermissions.filter((code) => held.has(code));
}

export const outletUseCases = [
	"hospitality",
	"retail",
	"quick_service",
	"pharmacy",
	"services",
	"logistics",
] as const;
export const OutletUseCase = Type.Enum(outletUseCases, { type: "string" });
export type OutletUseCase = (typeof outletUseCases)[number];

/**
 * How an access token limits the outlets of its holder. `all`: no limit. `selected`: the outlet in
 * `outlet_id`. `unselected`: the outlets in `outlet_ids`, possibly an empty list. Tokens of older releases
 * lack the claim.
 */
export const outletScopes = ["all", "selected", "unselected"] as const;
export const OutletScope = Type.Enum(outletScopes, { type: "string" });
export type OutletScope = (typeof outletScopes)[number];

/** The maximum number of outlets in a token. A person with more has an empty list until they select one. */
export const tokenOutletsMax = 50;

/**
 * The scope that allows a client to act for a person at the platform's own routes. Guarded routes require it
 * in every person's token.
 */
export const apiScope = "lango.api";

/** The claims of an access token (spec §2.3, design of the sign-on service). */
export const AccessTokenClaims = Type.Object({
	iss: Type.String(),
	sub: Type.String({ format: "uuid" }),
	aud: Type.Union([Type.String(), Type.Array(Type.String())]),
	exp: Type.Integer(),
	iat: Type.Integer(),
	jti: Type.String(),
	client_id: Type.String(),
	idtyp: Type.Optional(
		Type.Enum(["user", "app"], {
			type: "string",
			description:
				"What `sub` identifies: a person, or a program with a token of its own. Tokens of older releases lack it",
		}),
	),
	scope: Type.Optional(Type.String()),
	sid: Type.Optional(Type.String()),
	tenant_id: Type.Optional(Type.String()),
	tenant_slug: Type.Optional(Type.String()),
	email: Type.Optional(Type.String()),
	name: Type.Optional(Type.String()),
	user_status: Type.Optional(Type.String()),
	roles: Type.Optional(Type.Array(Type.String())),
	permissions: Type.Optional(Type.Array(Type.String())),
	permissions_ref: Type.Optional(Type.String()),
	outlet_id: Type.Optional(Type.String()),
	outlet_code: Type.Optional(Type.String()),
	outlet_use_case: Type.Optional(Type.String()),
	is_hq_user: Type.Optional(Type.Boolean()),
	outlet_scope: Type.Optional(OutletScope),
	/** Only if `outlet_scope` is `unselected`. */
	outlet_ids: Type.Optional(Type.Array(Type.String(), { maxItems: tokenOutletsMax })),
	products: Type.Optional(Type.Array(Type.String())),
	sub_plan: Type.Optional(Type.String()),
	sub_status: Type.Optional(Type.String()),
	sub_features: Type.Optional(Type.Array(Type.String())),
	sub_limits: Type.Optional(Type.Record(Type.String(), Type.Integer())),
	sub_expires: Type.Optional(Type.Integer()),
});
export type AccessTokenClaims = Static<typeof AccessTokenClaims>;
