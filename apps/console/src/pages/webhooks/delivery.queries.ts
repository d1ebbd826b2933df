import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

export const deliveryStatuses = ["received", "done", "ignored", "parked"] as const;
export const sendingGateways = ["mobile_money", "card_gateway"] as const;

/** What a gateway sent. */
export type Delivery = {
	id: string;
	gateway: (typeof sendingGateways)[number];
	route: string;
	object: string;
	status: (typeof deliveryStatuses)[number];
	trust: string | null;
	received_at: string;
	remote_ip: string;
	tries: number;
	duplicates: number;
	error: string | null;
};

/** The same with its text. */
export type WholeDelivery = Delivery & { headers: Readonly<Record<string, string>>; raw: string };

export const deliveriesKey = ["treasury", "deliveries"];

/** The address of what gateways sent. Throws an Error if this installation has no treasury. */
export function deliveriesAddress({ settings }: Platform): string {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform/inbox`;
}

const addressOf = (platform: Platform, id: string) =>
	`${deliveriesAddress(platform)}/${encodeURIComponent(id)}`;

const pollMs = 2_000;

/** What a gateway sent, with its text. It is asked for again while it waits to be applied. */
export const deliveryQuery = (platform: Platform, id: string) =>
	queryOptions({
		queryKey: [...deliveriesKey, "one", id],
		queryFn: ({ signal }) =>
			platform.client.call<WholeDelivery>(addressOf(platform, id), { outlet: "none", signal }),
		refetchInterval: ({ state }) => (state.data?.status === "received" ? pollMs : false),
	});

/** Applies what a gateway sent again. */
export const replayDelivery = (platform: Platform, id: string): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, id)}/replay`, { outlet: "none", method: "POST" });

/** Applies what gateways sent in some time again. */
export const replayDeliveries = (
	platform: Platform,
	body: { from: string; to: string; status: string },
): Promise<{ replayed: number }> =>
	platform.client.call(`${deliveriesAddress(platform)}/replay`, { outlet: "none", method: "POST", body });
