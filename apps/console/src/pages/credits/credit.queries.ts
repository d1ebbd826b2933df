import { listPage } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { notificationsAddress } from "../messages/state/message.queries.ts";

export type Credit = {
	balance: number;
	reserved: number;
	available: number;
	threshold: number;
	is_low: boolean;
};

export type CreditEntry = {
	id: string;
	kind: string;
	segments: number;
	reason: string | null;
	balance: number;
	at: string;
};

export type Pack = { code: string; segments: number; price_minor: number; currency: string };

export type TopUp = {
	operation_id: string;
	pack: string;
	segments: number;
	amount_minor: number;
	currency: string;
	status: string;
	reason: string | null;
	requested_at: string;
	expires_at: string;
};

export type Whatsapp = { active: boolean; because: string; templates_missing: string[] };

/** Credit is the tenant's, not an outlet's. */
export const whole = { outlet: "none" } as const;
export const creditKey = ({ slug }: ServiceScope) => ["credits", slug];

export const creditQuery = (platform: Platform, scope: ServiceScope) =>
	queryOptions({
		queryKey: [...creditKey(scope), "credit"],
		queryFn: ({ signal }) =>
			platform.client.call<Credit>(notificationsAddress(platform, scope, "credits"), { ...whole, signal }),
	});

export const whatsappQuery = (platform: Platform, scope: ServiceScope) =>
	queryOptions({
		queryKey: [...creditKey(scope), "whatsapp"],
		queryFn: ({ signal }) =>
			platform.client.call<Whatsapp>(notificationsAddress(platform, scope, "whatsapp"), { ...whole, signal }),
	});

/** Sets the balance below which administrators are warned. */
export const changeThreshold = (platform: Platform, scope: ServiceScope, threshold: number) =>
	platform.client.call(notificationsAddress(platform, scope, "credits"), {
		...whole,
		method: "PUT",
		body: { threshold },
	});

const pollMilliseconds = 3_000;

/** The newest purchase; null if there is none. It is asked for again while it waits for its payment. */
export const newestTopUpQuery = (platform: Platform, scope: ServiceScope) =>
	queryOptions({
		queryKey: [...creditKey(scope), "newest"],
		queryFn: async ({ signal }) => {
			const address = notificationsAddress(platform, scope, "credits/top-ups");
			const { items } = await listPage<TopUp>(platform.client, address, {
				...whole,
				query: { limit: 1 },
				signal,
			});
			return items[0] ?? null;
		},
		refetchInterval: ({ state }) => (state.data?.status === "open" ? pollMilliseconds : false),
	});

/** Buys a pack. It is booked when it is paid. */
export const buyPack = (platform: Platform, scope: ServiceScope, { code: pack, ...seen }: Pack) =>
	platform.client.call<TopUp>(notificationsAddress(platform, scope, "credits/top-ups"), {
		...whole,
		method: "POST",
		body: { pack, ...seen },
	});
