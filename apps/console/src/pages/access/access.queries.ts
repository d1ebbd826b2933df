import { listPage } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { accessKey, type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

/** A role of a service, as `/roles` returns it. */
export type ServiceRole = {
	id: string;
	code: string;
	tenant_id: string | null;
	is_system_role: boolean;
	description: string;
	permissions: string[];
};

/** An assignment of a role. `assigned_by` is null for a first role. */
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

/** A user who is known to the service. */
export type ServicePerson = {
	user_id: string;
	email: string;
	name: string;
	roles: Array<{ role: string; outlet_id: string | null; expires_at: string | null }>;
};

export type ServicePermission = { code: string; is_reserved: boolean };

/** One role of a service. */
export function roleQuery(platform: Platform, scope: ServiceScope, code: string) {
	return queryOptions({
		queryKey: accessKey(scope, "role", code),
		queryFn: ({ signal }) =>
			platform.client.call<ServiceRole>(
				`${serviceAddress(platform, scope)}/roles/${encodeURIComponent(code)}`,
				{ outlet: scope.outlet, signal },
			),
	});
}

/** All permissions that can be granted in a service. A service declares at most a few dozen. */
export function permissionsQuery(platform: Platform, scope: ServiceScope) {
	return queryOptions({
		queryKey: accessKey(scope, "permissions"),
		queryFn: async ({ signal }) => {
			const address = `${serviceAddress(platform, scope)}/permissions`;
			const query = { limit: 200 };
			return (
				await listPage<ServicePermission>(platform.client, address, { query, outlet: scope.outlet, signal })
			).items;
		},
	});
}

/** The first users of a service whose name or e-mail address contains `q`. */
export function peopleQuery(platform: Platform, scope: ServiceScope, q: string) {
	return queryOptions({
		queryKey: accessKey(scope, "people", "found", q),
		queryFn: async ({ signal }) => {
			const address = `${serviceAddress(platform, scope)}/users`;
			const query = { limit: 10, q: q || undefined };
			return (
				await listPage<ServicePerson>(platform.client, address, { query, outlet: scope.outlet, signal })
			).items;
		},
	});
}
