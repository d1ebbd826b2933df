import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

export const states = ["ok", "warned", "paused"] as const;
export type State = (typeof states)[number];

/** A tenant's reputation as a sender of e-mail, by its e-mails of 24 hours. */
export type Reputation = {
	state: State;
	cause: "bounces" | "complaints" | "owner" | null;
	reason: string | null;
	since: string | null;
	sent: number;
	bounced: number;
	complained: number;
	bounce_rate: number | null;
	complaint_rate: number | null;
};
export type ListedReputation = Reputation & { tenant_id: string; slug: string; name: string };

/** A tenant at the notification service. */
export type TenantScope = Pick<ServiceScope, "service" | "slug">;

const whole = { outlet: "none" } as const;

export const deliverabilityKey = ["deliverability"];
/** The reputations of all tenants, at the platform's own address. */
export const reputationsAddress = (platform: Platform, scope: TenantScope) =>
	`${serviceAddress(platform, scope)}/reputations`;

export function reputationQuery(platform: Platform, scope: TenantScope) {
	return queryOptions({
		queryKey: [...deliverabilityKey, "one", scope.slug],
		queryFn: ({ signal }) =>
			platform.client.call<Reputation>(`${serviceAddress(platform, scope)}/reputation`, { ...whole, signal }),
	});
}

/** Pauses or resumes a tenant's e-mail. */
export const decide = (
	platform: Platform,
	scope: TenantScope,
	{ verb, reason }: { verb: "pause" | "resume"; reason: string },
): Promise<Reputation> =>
	platform.client.call(`${serviceAddress(platform, scope)}/reputation/${verb}`, {
		...{ ...whole, method: "POST", body: { reason } },
	});
