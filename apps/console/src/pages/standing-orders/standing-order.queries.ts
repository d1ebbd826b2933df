import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";
import type { intervals } from "../card-plans/card-plan.queries.ts";

export const orderStatuses = [
	...(["requested", "consent_pending", "active", "ended", "stopped", "failed"] as const),
] as const;

/** A payer's consent that the wallet pays an amount again and again, as the treasury returns it. */
export type StandingOrder = {
	id: string;
	status: (typeof orderStatuses)[number];
	phone_masked: string;
	amount_minor: number;
	currency: string;
	frequency: (typeof intervals)[number];
	start_on: string;
	end_on: string;
	description: string;
	executions: number;
	/** Why it failed: a code of ours or of the gateway. */
	failure_code: string | null;
};

/** Whether it collects, or may still do so. */
export const isOpen = ({ status }: Pick<StandingOrder, "status">): boolean =>
	status === "requested" || status === "consent_pending" || status === "active";

/** The cache key of a tenant's standing orders. */
export const ordersKey = ({ slug }: ServiceScope) => ["treasury", slug, "standing-orders"];

export const ordersAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/standing-orders`;

type Asking = { request: object; idempotencyKey: string };

/** Asks a payer for a standing order. The same key asks once. */
export const askForOrder = (
	platform: Platform,
	scope: ServiceScope,
	{ request, idempotencyKey }: Asking,
): Promise<unknown> =>
	platform.client.call(ordersAddress(platform, scope), {
		...{ outlet: "none", method: "POST", body: request, idempotencyKey },
	});

/** Stops an order here: the gateway cannot stop it. */
export const stopOrder = (platform: Platform, scope: ServiceScope, id: string): Promise<unknown> =>
	platform.client.call(`${ordersAddress(platform, scope)}/${encodeURIComponent(id)}/stop`, {
		...{ outlet: "none", method: "POST" },
	});
