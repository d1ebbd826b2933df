import { isRecord, recordOf, textOf } from "../calls/client-error.ts";

export type Membership = { tenantId: string; slug: string; name: string; roles: string[]; status: string };

/** A person, from the sign-on service's auth/me (§4.1). */
export type Identity = {
	userId: string;
	email: string;
	name: string;
	status: string;
	tenantId: string;
	tenantSlug: string;
	isPlatformOwner: boolean;
	globalRoles: readonly string[];
	permissions: readonly string[];
	/** The outlet of the session; empty without one. */
	outletId: string;
	isHqUser: boolean;
	memberships: readonly Membership[];
	selectedPlan: string | undefined;
	/** The language and the theme that the person chose on the pages. */
	locale: string | undefined;
	theme: string | undefined;
};

/** A person in a service, from either form of the service's auth/me (§2.8). */
export type ServiceIdentity = {
	serviceRole: string | undefined;
	permissions: readonly string[];
	name: string;
};

/** The merged identity of the sign-on service and the service. */
export type Profile = Identity & {
	serviceRole: string | undefined;
	/** The service's auth/me responded 404, and the role was inferred from the global roles (§5.14). */
	isRoleInferred: boolean;
	/** The active product ids in the token (§2.6); undefined if the token has no such claim. */
	products: readonly string[] | undefined;
};

const text = (value: unknown) => textOf(value) ?? "";
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const texts = (value: unknown): string[] => listOf(value).filter((one) => typeof one === "string");

/** Reads the sign-on service's auth/me; undefined while it has no user id or tenant. */
export function readIdentity(response: unknown): Identity | undefined {
	if (!isRecord(response)) return undefined;
	const profile = recordOf(response["profile"]);
	const userId = text(response["user_id"]);
	const tenantId = text(response["tenant_id"]);
	if (userId === "" || tenantId === "") return undefined;
	return {
		userId,
		tenantId,
		email: text(response["email"]),
		name: text(response["name"]),
		status: textOf(response["status"]) ?? "active",
		tenantSlug: text(response["tenant_slug"]),
		isPlatformOwner: response["is_platform_owner"] === true,
		globalRoles: texts(response["roles"]),
		permissions: texts(response["permissions"]),
		outletId: text(response["outlet_id"]),
		isHqUser: response["is_hq_user"] === true,
		memberships: listOf(response["memberships"]).filter(isRecord).map(readMembership),
		selectedPlan: textOf(profile["selected_plan"]),
		locale: textOf(profile["locale"]),
		theme: textOf(profile["theme"]),
	};
}

const readMembership = (one: Record<string, unknown>): Membership => ({
	tenantId: text(one["tenant_id"]),
	slug: text(one["slug"]),
	name: text(one["name"]),
	roles: texts(one["roles"]),
	status: text(one["status"]),
});

/**
 * Reads a service's auth/me in either form of §2.8: flat with `service_role` (or `{service}_role`), or
 * `{session, user, …}`. Ignores the tokens in the second form.
 */
export function readServiceIdentity(response: unknown, service: string): ServiceIdentity {
	const flat = recordOf(response);
	const { user } = flat;
	const roleField = `${service}_role`;
	if (!isRecord(user))
		return {
			serviceRole: textOf(flat["service_role"]) ?? textOf(flat[roleField]),
			permissions: texts(flat["permissions"]),
			name: text(flat["name"]),
		};
	return {
		serviceRole: textOf(user["serviceRole"]) ?? texts(user["roles"])[0],
		permissions: texts(user["permissions"]),
		name: text(user["fullName"]),
	};
}

/** Merges the identity with the role and permissions of the service (§5.14). */
export function mergeProfile(
	identity: Identity,
	{
		service,
		products,
	}: { service: (ServiceIdentity & { isInferred: boolean }) | undefined; products: unknown },
): Profile {
	return {
		...identity,
		name: identity.name || (service?.name ?? ""),
		permissions: [...new Set([...identity.permissions, ...(service?.permissions ?? [])])],
		serviceRole: service?.serviceRole,
		isRoleInferred: service?.isInferred ?? false,
		products: Array.isArray(products) ? texts(products) : undefined,
	};
}

type TenantNames = {
	isPlatformOwner?: boolean;
	tenantId: string | undefined;
	tenantSlug: string | undefined;
};

/** The headers with the tenant; empty for the platform owner (§4). */
export const tenantHeaders = ({
	isPlatformOwner,
	tenantId,
	tenantSlug,
}: TenantNames): Record<string, string> =>
	isPlatformOwner
		? {}
		: { ...(tenantId && { "x-tenant-id": tenantId }), ...(tenantSlug && { "x-tenant-slug": tenantSlug }) };

/** Whether the person waits for an administrator's approval (§3). */
export const isPending = ({ status }: Pick<Identity, "status">): boolean =>
	status === "pending" || status === "pending_review";
