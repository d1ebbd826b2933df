import { isGranted, type ServiceName } from "../access/access.queries.ts";

/** Routes of these services require a code of the whole platform beside their own permission (§2.3). */
const platformCodes: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
	ordering: ["catalog:view", "catalog:manage", "orders:read", "orders:change"],
	logistics: ["riders:read", "riders:change"],
};

export type CreatorPermissions = {
	/** What the person may do in the service. */
	granted: ReadonlySet<string>;
	/** The platform's codes of their token, such as "catalog:view". */
	platformPermissions: readonly string[];
};

/**
 * Returns the permissions that a person can give to a key of a service: those they hold themselves. `declared` is all that the service
 * declares; without it (the person may not list it) the codes they hold are returned as they are.
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
