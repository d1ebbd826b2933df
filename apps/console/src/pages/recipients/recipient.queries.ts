import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

export const recipientTypes = ["bank", "mobile_money"] as const;
export const schedules = ["manual", "daily", "weekly"] as const;

/** An account to which the platform pays out. */
export type Recipient = {
	id: string;
	type: (typeof recipientTypes)[number];
	name: string;
	masked_account: string;
	bank_code: string;
	bank_name: string | null;
	status: "active" | "removed";
	created_at: string;
};

export type Bank = { code: string; name: string; type: string | null; currency: string | null };

/** Where payouts go, and when. */
export type PayoutConfig = {
	recipient_id: string | null;
	schedule: (typeof schedules)[number];
	minimum_minor: number;
	/** A payout above it needs a second person. */
	approval_above_minor: number;
	/** The most that it may be, as the platform owner decided. */
	approval_above_max_minor: number;
};

/** The cache key of recipients and of the payout configuration. */
export const recipientsKey = ({ slug }: ServiceScope) => ["treasury", slug, "recipients"];

export const recipientsAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/recipients`;

const configAddress = (platform: Platform, scope: ServiceScope) =>
	`${serviceAddress(platform, scope)}/payout-config`;

/** The banks and providers of mobile money of the card gateway. */
export const banksQuery = (platform: Platform, scope: ServiceScope) =>
	queryOptions({
		queryKey: ["treasury", scope.slug, "banks"],
		queryFn: async ({ signal }) => {
			const address = `${serviceAddress(platform, scope)}/banks`;
			return (await platform.client.call<{ items: Bank[] }>(address, { outlet: "none", signal })).items;
		},
	});

/** Adds a recipient. One that is there already is returned. */
export const addRecipient = (platform: Platform, scope: ServiceScope, body: object): Promise<unknown> =>
	platform.client.call(recipientsAddress(platform, scope), { outlet: "none", method: "POST", body });

export const removeRecipient = (platform: Platform, scope: ServiceScope, id: string): Promise<unknown> =>
	platform.client.call(`${recipientsAddress(platform, scope)}/${id}`, { outlet: "none", method: "DELETE" });

/** Where payouts go. */
export const payoutConfigQuery = (platform: Platform, scope: ServiceScope) =>
	queryOptions({
		queryKey: [...recipientsKey(scope), "config"],
		queryFn: ({ signal }) =>
			platform.client.call<PayoutConfig>(configAddress(platform, scope), { outlet: "none", signal }),
	});

export const savePayoutConfig = (platform: Platform, scope: ServiceScope, body: object): Promise<unknown> =>
	platform.client.call(configAddress(platform, scope), { outlet: "none", method: "PUT", body });
