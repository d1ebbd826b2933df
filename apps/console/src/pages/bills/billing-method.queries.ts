import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { serviceAddress } from "../access/access.queries.ts";

/** The methods that work. The treasury refuses the others. */
export const methodKinds = ["none", "push"] as const;
export type MethodKind = (typeof methodKinds)[number];

/** How renewals of a tenant are collected. */
export type BillingMethod = { kind: MethodKind; phone: string | null; email: string | null };

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
