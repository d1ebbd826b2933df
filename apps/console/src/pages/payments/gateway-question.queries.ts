import { queryOptions } from "@tanstack/react-query";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

/** What the gateway says of a transaction; null is what it does not say. */
export type StatusAnswer = {
	/** The gateway's word, for example Completed. */
	status: string | null;
	amount_minor: number | null;
	/** The shortcode that received the money. */
	shortcode: string | null;
	finished_at: string | null;
};

/** A question to the mobile-money gateway. Its answer comes later. */
export type GatewayQuestion = {
	id: string;
	status: "submitting" | "awaiting" | "unknown" | "failed" | "answered";
	failure_code: string | null;
	/** The answer about a transaction, or about balances. */
	result: StatusAnswer | { accounts: readonly object[] } | null;
};

const addressOf = (platform: Platform, scope: ServiceScope) =>
	`${serviceAddress(platform, scope)}/mobile-money`;

/** Asks the gateway for the balance of the tenant's shortcode. */
export const askBalance = (platform: Platform, scope: ServiceScope): Promise<GatewayQuestion> =>
	platform.client.call(`${addressOf(platform, scope)}/balance`, { outlet: "none", method: "POST" });

/** Asks the gateway about a transaction of the tenant's shortcode, by the receipt number that it gave it. */
export const askAboutReceipt = (
	platform: Platform,
	scope: ServiceScope,
	receipt: string,
): Promise<GatewayQuestion> =>
	platform.client.call(`${addressOf(platform, scope)}/status`, {
		...{ ...wholeOf(platform, scope.slug), method: "POST", body: { receipt } },
	});

/** What the gateway has answered about a transaction; undefined if it was not asked about one. */
export const statusAnswerOf = ({ result }: GatewayQuestion): StatusAnswer | undefined =>
	result !== null && "status" in result ? result : undefined;

/** Whether the gateway may still answer soon. */
export const isAwaited = ({ status }: GatewayQuestion): boolean =>
	status === "submitting" || status === "awaiting";

const pollMilliseconds = 1_000;

/** A question that was asked, read again until it has its end. */
export const gatewayQuestionQuery = (platform: Platform, scope: ServiceScope, asked: GatewayQuestion) =>
	queryOptions({
		queryKey: ["treasury", scope.slug, "gateway-question", asked.id],
		queryFn: ({ signal }) =>
			platform.client.call<GatewayQuestion>(`${addressOf(platform, scope)}/queries/${asked.id}`, {
				...{ ...wholeOf(platform, scope.slug), signal },
			}),
		initialData: asked,
		refetchInterval: ({ state: { data } }) =>
			data !== undefined && isAwaited(data) ? pollMilliseconds : false,
	});
