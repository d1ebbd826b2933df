import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

export const disputeStatuses = ["open", "reminded", "won", "lost"] as const;

/** A payment that its payer disputes at the bank, as the treasury returns it. */
export type Dispute = {
	id: string;
	receipt_id: string;
	status: (typeof disputeStatuses)[number];
	amount_minor: number;
	currency: string;
	/** The gateway's word, for example chargeback. */
	category: string | null;
	/** Without an answer until then it is lost. */
	due_at: string | null;
	/** What the organisation says about it. */
	note: string | null;
	created_at: string;
	ended_at: string | null;
};

/** A dispute of any organisation, as the platform owner sees it, who answers it at the gateway. */
export type OperatorDispute = Dispute & {
	tenant_id: string;
	/** The id that the gateway gave it. */
	gateway_id: string;
	/** What one person of the platform owner says became of it. */
	proposed_as: "won" | "lost" | null;
};

/** The address of the disputes of all tenants. Throws an Error if this installation has no treasury. */
export function operatorDisputesAddress({ settings }: Platform): string {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform/disputes`;
}

/** The cache key of everything about a tenant's disputes. */
export const disputesKey = ({ slug }: Pick<ServiceScope, "slug">) => ["treasury", slug, "disputes"];

/** The address of the tenant's disputes. */
export const disputesAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/disputes`;

/** Whether a dispute is not decided. */
export const isOpen = ({ status }: Dispute): boolean => status === "open" || status === "reminded";

/** After so long a dispute is overdue of which the gateway did not say when it is due. */
const undatedMs = 60 * 86_400_000;

/** Whether its answer was due and the gateway has not said how it ended. */
export const isOverdue = (dispute: Dispute, now: number): boolean => {
	const { due_at, created_at } = dispute;
	const dueAt = due_at === null ? Date.parse(created_at) + undatedMs : Date.parse(due_at);
	return isOpen(dispute) && dueAt < now;
};

/** What the platform owner says about the end of a dispute that is overdue. It takes two people. */
export const resolveDispute = (
	platform: Platform,
	id: string,
	body: { as: string; because: string },
): Promise<Dispute> =>
	platform.client.call(`${operatorDisputesAddress(platform)}/${encodeURIComponent(id)}/resolve`, {
		...{ outlet: "none", method: "POST", body },
	});

type Named = { scope: ServiceScope; id: string };

const addressOf = (platform: Platform, { scope, id }: Named) =>
	`${disputesAddress(platform, scope)}/${encodeURIComponent(id)}`;

/** One dispute. */
export const disputeQuery = (platform: Platform, { scope, id }: Named) =>
	queryOptions({
		queryKey: [...disputesKey(scope), "one", id],
		queryFn: ({ signal }) =>
			platform.client.call<Dispute>(addressOf(platform, { scope, id }), { outlet: "none", signal }),
	});

/** Stores what the organisation says about a dispute. */
export const noteDispute = (platform: Platform, named: Named, text: string): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, named)}/note`, {
		...{ outlet: "none", method: "PUT", body: { text } },
	});
