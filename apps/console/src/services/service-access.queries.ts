import type { CallOptions } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../platform.ts";
import type { Settings } from "../settings.ts";

export type ServiceName = keyof Settings["services"];

/**
 * A service with its own roles, at a tenant. `outlet` is `none` for a user who manages access in the whole
 * tenant: lists then contain all assignments. Otherwise requests are limited to the selected outlet
 * (decision 0063).
 */
export type ServiceScope = { service: ServiceName; slug: string; outlet?: CallOptions["outlet"] };

/** The user's permissions in a service, and whether requests are limited to the selected outlet. */
type ServiceAccess = { granted: ReadonlySet<string>; outlet: CallOptions["outlet"] };

/** The cache key of a service's access data at a tenant. All of it is invalidated after a change. */
export const accessKey = ({ service, slug }: ServiceScope, ...part: readonly string[]) => [
	"access",
	slug,
	service,
	...part,
];

/** The services of this installation, sorted by name. */
export function servicesOf({ services }: Settings): ServiceName[] {
	return (Object.keys(services) as ServiceName[]).toSorted();
}

/**
 * The address of a service for a tenant. Ordering is served below the tenant itself (spec §4.3). Throws an
 * Error for a service without an address.
 */
export function serviceAddress({ settings }: Platform, { service, slug }: ServiceScope): string {
	const url = settings.services[service];
	if (url === undefined) throw new Error(`There is no address of the service ${service}.`);
	const tenant = `${url}/api/v1/${encodeURIComponent(slug)}`;
	return service === "ordering" ? tenant : `${tenant}/${service}`;
}

/**
 * The user's permissions in a service and their scope, from its auth/me. `permission` is what the page
 * requires, by default `<service>.roles.view`. The first request creates the user in the service, just in
 * time.
 */
export function serviceAccessQuery(platform: Platform, scope: ServiceScope, permission = rolesViewOf(scope)) {
	return queryOptions({
		queryKey: accessKey(scope, "me", permission),
		queryFn: ({ signal }) => findServiceAccess(platform, scope, { permission, signal }),
	});
}

/** The user's permissions in a service, without their scope. */
export function permissionsInServiceQuery(platform: Platform, scope: ServiceScope, permission?: string) {
	return {
		...serviceAccessQuery(platform, scope, permission),
		select: ({ granted }: ServiceAccess) => granted,
	};
}

const rolesViewOf = ({ service }: ServiceScope) => `${service}.roles.view`;

/**
 * Finds the user's permissions in a service. A user who holds `permission` in the whole tenant works
 * without the selected outlet and sees all assignments; other users work at the selected outlet.
 */
export async function findServiceAccess(
	platform: Platform,
	scope: ServiceScope,
	{ permission = rolesViewOf(scope), signal }: { permission?: string; signal?: AbortSignal } = {},
): Promise<ServiceAccess> {
	const permissionsAt = async (outlet: CallOptions["outlet"]) => {
		const options = { outlet, ...(signal && { signal }) };
		const address = `${serviceAddress(platform, scope)}/auth/me`;
		const me = await platform.client.call<{ permissions: string[] }>(address, options);
		return new Set(me.permissions);
	};
	const everywhere = await permissionsAt("none");
	const state = platform.client.getState();
	const isAtOutlet = state.status === "ready" && state.outlet.kind === "selected";
	if (!isAtOutlet || isGranted(everywhere, permission)) return { granted: everywhere, outlet: "none" };
	return { granted: await permissionsAt(undefined), outlet: undefined };
}

/** Whether the permissions include this one, directly or by `manage` of its module (spec §2.4). */
export function isGranted(granted: ReadonlySet<string> | undefined, permission: string): boolean {
	if (granted === undefined) return false;
	const module = permission.slice(0, permission.lastIndexOf("."));
	return granted.has(permission) || granted.has(`${module}.manage`);
}
