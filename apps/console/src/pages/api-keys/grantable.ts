import { isGranted, type ServiceName } from "../../services/service-access.queries.ts";

/** Routes of these services require a canonical permission beside their own one (§2.3). */
const platformCodes: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
	ordering: ["catalog:view", "catalog:manage", "orders:read", "orders:change"],
	logistics: ["riders:read", "riders:change"],
};

export type CreatorPermissions = {
	/** The user's permissions in the service. */
	granted: ReadonlySet<string>;
	/** The canonical permissions of the user's token, such as "catalog:view". */
	platformPermissions: readonly string[];
};

/**
 * Returns the permissions that a user can give to a key of a service: those they hold themselves.
 * `declared` is all that the service declares; without it (the user may not list it), the codes they hold
 * are returned unchanged.
 */
export function listGrantable(
	service: ServiceName,
	declared: readonly string[] | undefined,
	{ granted, platformPermissions }: CreatorPermissions,
): string[] {
	const ofService = declared?.filter((code) => isGranted(granted, code)) ?? [...granted].toSorted();
	return [
		...ofService,
		...(platformCodes[service] ?? []).filter((code) => platformPermissions.includes(code)),
	];
}
