import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { notificationsAddress } from "../messages/state/message.queries.ts";

export const channels = ["email", "sms", "push", "whatsapp", "in_app"] as const;
export type Channel = (typeof channels)[number];

/** Recipients per minute, and at once. */
type Rate = { per_minute: number; burst: number };
/** The limit of a channel. `ceiling` is the most that the tenant may choose. */
export type Limit = Rate & { channel: Channel; is_platform: boolean; ceiling: Rate };
/** A limit of null is reset. */
export type LimitChange = Partial<Record<Channel, Rate | null>>;

type Scope = Pick<ServiceScope, "service" | "slug">;

export const limitsKey = (slug: string) => ["limits", slug];

/** The tenant's limits by channel. */
export function limitsQuery(platform: Platform, scope: Scope) {
	return queryOptions({
		queryKey: limitsKey(scope.slug),
		queryFn: async ({ signal }) => {
			const address = notificationsAddress(platform, scope, "limits");
			const { items } = await platform.client.call<{ items: Limit[] }>(address, { outlet: "none", signal });
			return items;
		},
	});
}

export const changeLimits = (platform: Platform, scope: Scope, body: LimitChange): Promise<unknown> =>
	platform.client.call(notificationsAddress(platform, scope, "limits"), {
		outlet: "none",
		method: "PUT",
		body,
	});
