import { ClientError } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../../platform.ts";
import { serviceAddress } from "../../../services/service-access.queries.ts";
import type { Attempt } from "../../payments/attempt-list.tsx";
import { type IntentStatus, isOpen } from "../../payments/intent-status.tsx";

/** What the treasury says of an operation that a tenant has to pay, as far as pages show it. */
export type Bill = {
	operation_id: string;
	operation_kind: string | null;
	source_service: string;
	amount_minor: number;
	received_minor: number;
	currency: string;
	created_at: string;
	expires_at: string;
	status: IntentStatus;
	channels: string[];
	/** Why a phone cannot be asked to pay what is due; null: it can. */
	prompt_refusal: "amount_not_whole" | "amount_out_of_range" | null;
	attempts: Attempt[];
};

/** The cache key of everything about a tenant's bills. */
export const billsKey = (slug: string) => ["treasury", slug, "bills"];
export const billKey = (slug: string, operationId: string) => [...billsKey(slug), operationId];

/** How often an open bill is read: a phone answers within seconds. */
const pollMilliseconds = 2_000;

/** The address of the tenant's bills. */
export const billsAddress = (platform: Platform, slug: string): string =>
	`${serviceAddress(platform, { service: "treasury", slug })}/bills`;

const addressOf = (platform: Platform, slug: string, operationId: string) =>
	`${billsAddress(platform, slug)}/${encodeURIComponent(operationId)}`;

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

/** Opens the card gateway's page for a bill, and returns its address. */
export async function openCheckout(
	platform: Platform,
	{ slug, operationId, email }: { slug: string; operationId: string; email: string },
): Promise<string> {
	const address = `${addressOf(platform, slug, operationId)}/checkout`;
	const opened = await platform.client.call<{ authorization_url: string }>(address, {
		...{ outlet: "none", method: "POST", body: { email } },
	});
	return opened.authorization_url;
}
