import Type, { type Static } from "typebox";

/** The actions a service permission may name (spec §2.4). `manage` implies the others of its module, an action its `_own`. */
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

/** The roles the sign-on service issues (spec §2.3). */
export const globalRoles = [
	"superuser",
	"admin",
	"manager",
	"cashier",
	"waiter",
	"kitchen",
	"bar",
	"receptionist",
	"staff",
	"member",
	"rider",
	"viewer",
] as const;
export type GlobalRole = (typeof globalRoles)[number];

/** The codes a token may carry: those of the sign-on service and the cross-cutting `<resource>:<verb>` ones (spec §2.3). */
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

/** What each role holds of the canonical codes. */
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

/** The union of what the roles hold, each code once, in the order of the table above. */
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
 * How an access token limits the outlets its holder sees. `all`: no limit. `selected`: the outlet in `outlet_id`.
 * `unselected`: the outlets in `outlet_ids`, which may be none. A token without the claim was issued by an older release.
 */
export const outletScopes = ["all", "selected", "unselected"] as const;
export const OutletScope = Type.Enum(outletScopes, { type: "string" });
export type OutletScope = (typeof outletScopes)[number];

/** The most outlets that a token lists. A person with more has an empty list until they select one. */
export const tokenOutletsMax = 50;

/** The scope that lets a client act for a person at the platform's own routes. Guarded routes require it of every person's token. */
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
				"What `sub` identifies: a person, or a program that has the token for itself. Tokens of older releases lack it",
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
	/** Only with `outlet_scope` `unselected`. */
	outlet_ids: Type.Optional(Type.Array(Type.String(), { maxItems: tokenOutletsMax })),
	products: Type.Optional(Type.Array(Type.String())),
	sub_plan: Type.Optional(Type.String()),
	sub_status: Type.Optional(Type.String()),
	sub_features: Type.Optional(Type.Array(Type.String())),
	sub_limits: Type.Optional(Type.Record(Type.String(), Type.Integer())),
	sub_expires: Type.Optional(Type.Integer()),
});
export type AccessTokenClaims = Static<typeof AccessTokenClaims>;
