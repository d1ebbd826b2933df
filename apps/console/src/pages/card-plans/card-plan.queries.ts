import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

export const intervals = ["daily", "weekly", "monthly", "quarterly", "half_yearly", "yearly"] as const;
type Interval = (typeof intervals)[number];

/** An amount that is charged to cards at an interval. */
export type CardPlan = {
	id: string;
	status: "creating" | "active" | "failed";
	name: string;
	interval: Interval;
	amount_minor: number;
	currency: string;
	created_at: string;
};

/** A card that paid and can be charged again. */
export type Card = { id: string; brand: string; last4: string; expires_on: string };

/** A card that is charged by a plan. */
export type CardSubscription = {
	id: string;
	status: "creating" | "active" | "attention" | "non_renewing" | "disabled" | "completed" | "failed";
	plan_name: string;
	interval: Interval;
	amount_minor: number;
	currency: string;
	authorization_id: string;
	card: Omit<Card, "id"> | null;
	next_payment_at: string | null;
	executions: number;
	/** Why it failed: a code of ours or of the gateway. */
	failure_code: string | null;
};

/** The cache key of plans, cards and card subscriptions. */
export const cardPlansKey = ({ slug }: ServiceScope) => ["treasury", slug, "card-plans"];

export const plansAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/plans`;

export const subscriptionsAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/card-subscriptions`;

/** The cards that paid for the organisation's trade, the last used first. */
export const cardsQuery = (platform: Platform, scope: ServiceScope) =>
	queryOptions({
		queryKey: [...cardPlansKey(scope), "cards"],
		queryFn: async ({ signal }) => {
			const address = `${serviceAddress(platform, scope)}/card-authorizations`;
			return (await platform.client.call<{ items: Card[] }>(address, { outlet: "none", signal })).items;
		},
	});

type Making = { request: object; idempotencyKey: string };

/** Makes a plan. The same key makes it once. */
export const makePlan = (platform: Platform, scope: ServiceScope, made: Making): Promise<unknown> =>
	platform.client.call(plansAddress(platform, scope), {
		...{ outlet: "none", method: "POST", body: made.request, idempotencyKey: made.idempotencyKey },
	});

/** Charges a card by a plan. The same key does it once. */
export const subscribeCard = (platform: Platform, scope: ServiceScope, made: Making): Promise<unknown> =>
	platform.client.call(subscriptionsAddress(platform, scope), {
		...{ outlet: "none", method: "POST", body: made.request, idempotencyKey: made.idempotencyKey },
	});

type Switched = { scope: ServiceScope; id: string; to: "enable" | "disable" };

/** Stops a card subscription, or resumes it. */
export const switchSubscription = (platform: Platform, { scope, id, to }: Switched): Promise<unknown> =>
	platform.client.call(`${subscriptionsAddress(platform, scope)}/${id}/${to}`, {
		...{ outlet: "none", method: "POST" },
	});
