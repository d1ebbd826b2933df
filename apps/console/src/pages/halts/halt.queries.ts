import { ClientError } from "@lango/client";
import type { Platform } from "../../platform.ts";
import { findTenant } from "../../tenant/find-tenant.ts";

export const haltScopes = ["collections", "payouts", "refunds"] as const;

/** A halt that is on. `tenant_id` is null for every organisation. */
export type Halt = {
	scope: (typeof haltScopes)[number];
	tenant_id: string | null;
	because: string;
	set_at: string;
};

export const haltsKey = ["treasury", "halts"];

/** The address of the halts. Throws an Error if this installation has no treasury. */
export function haltsAddress({ settings }: Platform): string {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform/halts`;
}

type Switched = { scope: string; tenant_id?: string; is_on: boolean; because: string };

/** Sets or lifts a halt. */
export const switchHalt = (platform: Platform, body: Switched): Promise<unknown> =>
	platform.client.call(haltsAddress(platform), { outlet: "none", method: "PUT", body });

/** Sets a halt, for the organisation with this slug or for all. Throws ClientError `tenant_not_found`. */
export async function setHalt(
	platform: Platform,
	{ scope, slug, because }: { scope: string; slug: string; because: string },
): Promise<unknown> {
	const halt = { scope, is_on: true, because };
	if (slug === "") return switchHalt(platform, halt);
	const tenant = await findTenant(platform, slug);
	if (tenant === null) throw new ClientError("tenant_not_found", { status: 404, body: { field: "tenant" } });
	return switchHalt(platform, { ...halt, tenant_id: tenant.id });
}
