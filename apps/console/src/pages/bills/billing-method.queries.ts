import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { serviceAddress } from "../../services/service-access.queries.ts";
import type { Card, CardSubscription } from "../card-plans/card-plan.queries.ts";

export const methodKinds = ["none", "push", "standing_order", "card_subscription"] as const;
export type MethodKind = (typeof methodKinds)[number];

/** How renewals of a tenant are collected, and the cards that can pay them. */
export type BillingMethod = {
	kind: MethodKind;
	/** `push` in place of a standing order that is not open: the phone is asked. */
	collected_by: MethodKind;
	phone: string | null;
	email: string | null;
	standing_order: {
		status: string;
		amount_minor: number;
		currency: string;
		needs_replacement: boolean;
		/** Why the wallet does not pay: a code of the gateway. */
		failure_code: string | null;
	} | null;
	card_subscription: CardSubscription | null;
	/** Why the last attempt to collect a renewal did not pay. */
	last_failure: { code: string; at: string } | null;
	cards: readonly Card[];
};

export const billingMethodKey = (slug: string) => ["treasury", slug, "billing-method"];

const addressOf = (platform: Platform, slug: string) =>
	`${serviceAddress(platform, { service: "treasury", slug })}/billing-method`;

/** How renewals of the tenant are collected. */
export const billingMethodQuery = (platform: Platform, slug: string) =>
	queryOptions({
		queryKey: billingMethodKey(slug),
		queryFn: ({ signal }) =>
			platform.client.call<BillingMethod>(addressOf(platform, slug), { outlet: "none", signal }),
	});

export const saveBillingMethod = (platform: Platform, slug: string, body: object): Promise<unknown> =>
	platform.client.call(addressOf(platform, slug), { outlet: "none", method: "PUT", body });
