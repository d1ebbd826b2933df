import { ClientError } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../../platform.ts";
import { serviceAddress } from "../../access/access.queries.ts";

/** What the treasury says of an operation that a tenant has to pay, as far as the page shows it. */
export type Bill = {
	status: "requires_payment" | "processing" | "partially_paid" | "succeeded" | "expired" | "cancelled";
	channels: string[];
	attempts: Array<{ id: string; channel: string; status: string; phone_masked: string | null }>;
};

const open: ReadonlySet<Bill["status"]> = new Set(["requires_payment", "processing", "partially_paid"]);

/** Whether a bill can still be paid. */
export const isOpen = ({ status }: Bill): boolean => open.has(status);

export const billKey = (slug: string, operationId: string) => ["treasury", slug, "bill", operationId];

/** How often an open bill is read: a phone answers within seconds. */
const pollMilliseconds = 2_000;

const addressOf = (platform: Platform, slug: string, operationId: string) =>
	`${serviceAddress(platform, { service: "treasury", slug })}/bills/${operationId}`;

/**
 * The bill of an operation. Null while the treasury has none: it learns of the operation by an event, or
 * another program collects it.
 */
export const billQuery = (platform: Platform, slug: string, operationId: string) =>
	queryOptions({
		queryKey: billKey(slug, operationId),
		queryFn: async ({ signal }) => {
			try {
				const address = addressOf(platform, slug, operationId);
				return await platform.client.call<Bill>(address, { outlet: "none", signal });
			} catch (error) {
				if (error instanceof ClientError && error.status === 404) return null;
				throw error;
			}
		},
		enabled: platform.settings.services.treasury !== undefined,
		refetchInterval: ({ state: { data } }) => (data && !isOpen(data) ? false : pollMilliseconds),
	});

/** Asks a phone to pay a bill. */
export const askPhone = (
	platform: Platform,
	{ slug, operationId, phone }: { slug: string; operationId: string; phone: string },
): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, slug, operationId)}/push`, {
		...{ outlet: "none", method: "POST", body: { phone } },
	});
