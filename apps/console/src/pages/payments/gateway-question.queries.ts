import { queryOptions } from "@tanstack/react-query";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

/** A question to the mobile-money gateway. Its answer comes later. */
export type GatewayQuestion = {
	id: string;
	status: "submitting" | "awaiting" | "unknown" | "failed" | "answered";
	failure_code: string | null;
};

const addressOf = (platform: Platform, scope: ServiceScope) =>
	`${serviceAddress(platform, scope)}/mobile-money`;

/** Asks the gateway for the balance of the tenant's shortcode. */
export const askBalance = (platform: Platform, scope: ServiceScope): Promise<GatewayQuestion> =>
	platform.client.call(`${addressOf(platform, scope)}/balance`, { outlet: "none", method: "POST" });

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
