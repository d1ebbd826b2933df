import { ClientError } from "@lango/client";
import type { AdminTenant, Subscription } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

export const tenantsKey = ["tenants"];

/** The address of the list of all tenants. */
export const tenantsAddress = ({ settings }: Platform) => `${settings.authUrl}/api/v1/admin/tenants`;

const addressOf = (platform: Platform, id: string) => `${tenantsAddress(platform)}/${encodeURIComponent(id)}`;
const subscriptionAddress = ({ settings }: Platform, id: string) =>
	`${settings.subscriptionsUrl}/api/v1/admin/tenants/${encodeURIComponent(id)}`;

export function oneTenantQuery(platform: Platform, id: string) {
	return queryOptions({
		queryKey: [...tenantsKey, "one", id],
		queryFn: ({ signal }) => platform.client.call<AdminTenant>(addressOf(platform, id), { signal }),
	});
}

/** Suspends or reactivates a tenant. */
export function changeTenantStatus(
	platform: Platform,
	{ id, verb }: { id: string; verb: "suspend" | "resume" },
): Promise<AdminTenant> {
	return platform.client.call<AdminTenant>(`${addressOf(platform, id)}/${verb}`, { method: "POST" });
}

/** The values of a tenant that differ from its plan. */
export type Overrides = {
	features: Record<string, boolean>;
	limits: Record<string, number>;
	products: string[];
};

export const overridesKey = (id: string) => ["overrides", id];

/** The overrides of a tenant; null without a subscription. */
export function overridesQuery(platform: Platform, id: string) {
	return queryOptions({
		queryKey: overridesKey(id),
		queryFn: async ({ signal }) => {
			try {
				const address = `${subscriptionAddress(platform, id)}/overrides`;
				return await platform.client.call<Overrides>(address, { signal });
			} catch (error) {
				if (error instanceof ClientError && error.code === "no_subscription") return null;
				throw error;
			}
		},
	});
}

export function setOverrides(
	platform: Platform,
	{ id, ...body }: Overrides & { id: string; because: string },
): Promise<Subscription> {
	const address = `${subscriptionAddress(platform, id)}/overrides`;
	return platform.client.call<Subscription>(address, { method: "PUT", body });
}

/** Removes all overrides. */
export function removeOverrides(platform: Platform, id: string): Promise<Subscription> {
	const address = `${subscriptionAddress(platform, id)}/overrides`;
	return platform.client.call<Subscription>(address, { method: "DELETE" });
}

/** Extends a tenant's subscription without a charge. Idempotent by key. */
export function grantTime(
	platform: Platform,
	{ id, idempotencyKey, ...body }: { id: string; days: number; because: string; idempotencyKey: string },
): Promise<Subscription> {
	const address = `${subscriptionAddress(platform, id)}/grants`;
	return platform.client.call<Subscription>(address, { method: "POST", body, idempotencyKey });
}

/** An audit entry of the subscription service about a tenant. */
export type SubscriptionAction = {
	id: string;
	at: string;
	actor: { kind: string; id: string };
	action: string;
	subject: string;
	detail: Record<string, unknown>;
};

export const actionsAddress = ({ settings }: Platform) => `${settings.subscriptionsUrl}/api/v1/admin/audit`;
