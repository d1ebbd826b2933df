import { type CallOptions, listPage } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import type { Settings } from "../../settings.ts";

export type ServiceName = keyof Settings["services"];

/**
 * A service of this installation that has roles of its own, at a tenant. `outlet` is `none` for who looks after access in the whole tenant:
 * lists then hold what is assigned anywhere. Who may only at the selected outlet asks with it (decision 0063).
 */
export type ServiceScope = { service: ServiceName; slug: string; outlet?: CallOptions["outlet"] };

/** What somebody may do in a service, and with or without the selected outlet. */
type Standing = { granted: ReadonlySet<string>; outlet: CallOptions["outlet"] };

/** A role of a service, as its `/roles` answers it. */
export type ServiceRole = {
	id: string;
	code: string;
	tenant_id: string | null;
	is_system_role: boolean;
	description: string;
	permissions: string[];
};

/** Who has a role: `assigned_by` is null for a first role. */
export type Assignment = {
	id: string;
	role: string;
	user_id: string;
	email: string;
	name: string;
	outlet_id: string | null;
	assigned_by: string | null;
	assigned_at: string;
	expires_at: string | null;
};

/** Somebody whom the service knows. */
export type ServicePerson = {
	user_id: string;
	email: string;
	name: string;
	roles: Array<{ role: string; outlet_id: string | null; expires_at: string | null }>;
};

export type ServicePermission = { code: string; is_reserved: boolean };

/** Everything of a service's access at a tenant: invalidated together after a change. */
export const accessKey = ({ service, slug }: ServiceScope, ...part: readonly string[]) => [
	"access",
	slug,
	service,
	...part,
];

/** The services of this installation, in the order of their names. */
export function servicesOf({ services }: Settings): ServiceName[] {
	return (Object.keys(services) as ServiceName[]).toSorted();
}

/** Where a service answers for a tenant. Ordering is served below the tenant itself (spec §4.3). Throws an Error for a service that is not there. */
export function serviceAddress({ settings }: Platform, { service, slug }: ServiceScope): string {
	const url = settings.services[service];
	if (url === undefined) throw new Error(`There is no address of the service ${service}.`);
	const tenant = `${url}/api/v1/${encodeURIComponent(slug)}`;
	return service === "ordering" ? tenant : `${tenant}/${service}`;
}

/**
 * What the person may do in a service and where, by its auth/me. `right` is what the page needs, by default `<service>.roles.view`. The
 * first visit makes the person known to the service.
 */
export function serviceAccessQuery(platform: Platform, place: ServiceScope, right = rolesViewOf(place)) {
	return queryOptions({
		queryKey: accessKey(place, "me", right),
		queryFn: ({ signal }) => findServiceAccess(platform, place, { right, signal }),
	});
}

/** What the person may do in a service, by itself. */
export function permissionsInServiceQuery(platform: Platform, place: ServiceScope) {
	return { ...serviceAccessQuery(platform, place), select: ({ granted }: Standing) => granted };
}

const rolesViewOf = ({ service }: ServiceScope) => `${service}.roles.view`;

/**
 * Finds what the person may do in a service. A person who holds `right` in the whole tenant works without the selected outlet and sees
 * what is assigned anywhere; others work at the selected outlet.
 */
export async function findServiceAccess(
	platform: Platform,
	place: ServiceScope,
	{ right = rolesViewOf(place), signal }: { right?: string; signal?: AbortSignal } = {},
): Promise<Standing> {
	const rightsAt = async (outlet: CallOptions["outlet"]) => {
		const options = { outlet, ...(signal && { signal }) };
		const address = `${serviceAddress(platform, place)}/auth/me`;
		const me = await platform.client.call<{ permissions: string[] }>(address, options);
		return new Set(me.permissions);
	};
	const everywhere = await rightsAt("none");
	const state = platform.client.getState();
	const isAtOutlet = state.status === "ready" && state.outlet.kind === "selected";
	if (!isAtOutlet || isGranted(everywhere, right)) return { granted: everywhere, outlet: "none" };
	return { granted: await rightsAt(undefined), outlet: undefined };
}

/** One role of a service. */
export function roleQuery(platform: Platform, place: ServiceScope, code: string) {
	return queryOptions({
		queryKey: accessKey(place, "role", code),
		queryFn: ({ signal }) =>
			platform.client.call<ServiceRole>(
				`${serviceAddress(platform, place)}/roles/${encodeURIComponent(code)}`,
				{ outlet: place.outlet, signal },
			),
	});
}

/** Everything that can be granted in a service; a service declares at most a few dozen. */
export function permissionsQuery(platform: Platform, place: ServiceScope) {
	return queryOptions({
		queryKey: accessKey(place, "permissions"),
		queryFn: async ({ signal }) => {
			const address = `${serviceAddress(platform, place)}/permissions`;
			const query = { limit: 200 };
			return (
				await listPage<ServicePermission>(platform.client, address, { query, outlet: place.outlet, signal })
			).items;
		},
	});
}

/** The people a service knows whose name or address has this part, the first of them. */
export function peopleQuery(platform: Platform, place: ServiceScope, q: string) {
	return queryOptions({
		queryKey: accessKey(place, "people", "found", q),
		queryFn: async ({ signal }) => {
			const address = `${serviceAddress(platform, place)}/users`;
			const query = { limit: 10, q: q || undefined };
			return (
				await listPage<ServicePerson>(platform.client, address, { query, outlet: place.outlet, signal })
			).items;
		},
	});
}

/** Whether somebody may do something of a module: `manage` allows all of it (spec §2.4). */
export function isGranted(granted: ReadonlySet<string> | undefined, permission: string): boolean {
	if (granted === undefined) return false;
	const module = permission.slice(0, permission.lastIndexOf("."));
	return granted.has(permission) || granted.has(`${module}.manage`);
}
