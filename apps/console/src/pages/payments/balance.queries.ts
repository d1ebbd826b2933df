import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../access/access.queries.ts";

/** A question to the mobile-money gateway about the balance of the tenant's shortcode. */
export type BalanceQuestion = {
	id: string;
	status: "submitting" | "awaiting" | "unknown" | "failed" | "answered";
	failure_code: string | null;
};

const addressOf = (platform: Platform, scope: ServiceScope) =>
	`${serviceAddress(platform, scope)}/mobile-money`;

/** Asks the gateway for the balance. Its answer comes later. */
export const askBalance = (platform: Platform, scope: ServiceScope): Promise<BalanceQuestion> =>
	platform.client.call(`${addressOf(platform, scope)}/balance`, { outlet: "none", method: "POST" });

/** Whether the gateway may still answer soon. */
export const isAwaited = ({ status }: BalanceQuestion): boolean =>
	status === "submitting" || status === "awaiting";

const pollMilliseconds = 1_000;

/** A question that was asked, read again until it has its end. */
export const balanceQuestionQuery = (platform: Platform, scope: ServiceScope, asked: BalanceQuestion) =>
	queryOptions({
		queryKey: ["treasury", scope.slug, "balance-question", asked.id],
		queryFn: ({ signal }) =>
			platform.client.call<BalanceQuestion>(`${addressOf(platform, scope)}/queries/${asked.id}`, {
				...{ outlet: "none", signal },
			}),
		initialData: asked,
		refetchInterval: ({ state: { data } }) =>
			data !== undefined && isAwaited(data) ? pollMilliseconds : false,
	});
