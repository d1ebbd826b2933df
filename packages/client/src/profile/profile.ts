import { isRecord, textOf } from "../calls/client-error.ts";

export type Membership = { tenantId: string; slug: string; name: string; roles: string[]; status: string };

/** Who a person is, by the sign-on service's auth/me (§4.1). */
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
	/** The outlet of the session; empty for who has none. */
	outletId: string;
	isHqUser: boolean;
	memberships: readonly Membership[];
	selectedPlan: string | undefined;
};

/** What a service's auth/me says of a person, from either shape of §2.8. */
export type ServiceIdentity = {
	serviceRole: string | undefined;
	permissions: readonly string[];
	name: string;
};

/** Both together: what the pages go by. */
export type Profile = Identity & {
	serviceRole: string | undefined;
	/** The service had no auth/me, and the role follows from the global roles (§5.14). */
	isRoleInferred: boolean;
	/** Active product ids by the token (§2.6); undefined when the token says nothing of them. */
	products: readonly string[] | undefined;
};

const text = (value: unknown) => textOf(value) ?? "";
const texts = (value: unknown): string[] =>
	Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** Reads the sign-on service's auth/me; undefined while it does not know the person in a tenant yet. */
export function readIdentity(answer: unknown): Identity | undefined {
	if (!isRecord(answer)) return undefined;
	const { profile, memberships } = answer;
	const userId = text(answer["user_id"]);
	const tenantId = text(answer["tenant_id"]);
	if (userId === "" || tenantId === "") return undefined;
	return {
		userId,
		tenantId,
		email: text(answer["email"]),
		name: text(answer["name"]),
		status: textOf(answer["status"]) ?? "active",
		tenantSlug: text(answer["tenant_slug"]),
		isPlatformOwner: answer["is_platform_owner"] === true,
		globalRoles: texts(answer["roles"]),
		permissions: texts(answer["permissions"]),
		outletId: text(answer["outlet_id"]),
		isHqUser: answer["is_hq_user"] === true,
		memberships: (Array.isArray(memberships) ? memberships : []).filter(isRecord).map(readMembership),
		selectedPlan: isRecord(profile) ? textOf(profile["selected_plan"]) : undefined,
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
 * Reads a service's auth/me in either shape of §2.8: flat with `service_role` (or `{service}_role`), or `{session, user, …}`.
 * Tokens that the second shape carries are left alone: those of the sign-on service are the only ones.
 */
export function readServiceIdentity(answer: unknown, service: string): ServiceIdentity {
	const flat = isRecord(answer) ? answer : {};
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

/** The sign-on's word on who, the service's on what (§5.14). */
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

/** Waits for an administrator's approval (§3). */
export const isPending = ({ status }: Pick<Identity, "status">): boolean =>
	status === "pending" || status === "pending_review";
