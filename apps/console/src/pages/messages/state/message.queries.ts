import { queryOptions } from "@tanstack/react-query";
import { type Platform, platformIdOf } from "../../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../../services/service-access.queries.ts";
import type { Channel } from "../../templates/draft/templates.queries.ts";

/** The states of a delivery. */
export const statuses = [
	...["queued", "sending", "unknown", "sent", "delivered", "read", "failed", "undelivered", "bounced"],
	...["suppressed", "skipped_preference", "skipped_no_credit", "skipped_no_subscription", "skipped_limit"],
	...["digested", "cancelled", "expired", "dead"],
] as const;

/** The states from which a delivery can be sent again. */
export const resendable: readonly string[] = [
	...["failed", "dead", "expired", "undelivered", "bounced", "cancelled"],
	...["skipped_preference", "skipped_no_credit", "skipped_no_subscription", "skipped_limit"],
];

export const sources = ["rest", "event", "digest", "resend", "test"] as const;

/** A message of the feed. */
export type Message = {
	id: string;
	source: string;
	channel: Channel;
	class: string;
	category: string;
	template: string;
	labels: Record<string, string>;
	outlet_id: string | null;
	requested_by: { kind: string; id: string };
	resend_of: string | null;
	send_at: string;
	expires_at: string;
	created_at: string;
	recipients: number;
	/** Deliveries that are neither sent nor ended. */
	pending: number;
	/** Deliveries by status. */
	counts: Record<string, number>;
};

export type Delivery = {
	id: string;
	message_id: string;
	channel: Channel;
	address_masked: string;
	user_id: string | null;
	status: string;
	attempt: number;
	due_at: string;
	expires_at: string;
	provider: string | null;
	provider_kind: string | null;
	segments: number;
	error_class: string | null;
	error_code: string | null;
	created_at: string;
	sent_at: string | null;
	final_at: string | null;
};

export type TimelineEntry = { at: string; kind: string; detail: Readonly<Record<string, unknown>> };
export type DeliveryDetail = Delivery & { timeline: TimelineEntry[] };

/** What became of the deliveries of the last days. */
export type Statistics = {
	from: string;
	to: string;
	days: Array<{ day: string; channel: Channel; status: string; count: number }>;
	totals: Total[];
};
export type Total = {
	channel: Channel;
	accepted: number;
	sent: number;
	bounced: number;
	complaints: number;
	bounce_rate: number | null;
	complaint_rate: number | null;
};

/** A request to send the deliveries of a filter again. */
export type Redrive = {
	id: string;
	status: "running" | "finished" | "stopped";
	reason: string | null;
	matched: number;
	left_out: number;
	counts: Record<string, number>;
	created_at: string;
};

/** All messages of a tenant are invalidated after a change. */
export const messagesKey = ({ slug }: ServiceScope) => ["messages", slug];

/** An address of the notification service. A request about the platform owner's tenant names it. */
export function notificationsAddress(platform: Platform, scope: ServiceScope, path: string): string {
	const address = `${serviceAddress(platform, scope)}/${path}`;
	const platformId = platformIdOf(platform, scope.slug);
	return platformId === undefined ? address : `${address}?tenantId=${platformId}`;
}

const pollMilliseconds = 5_000;

export function messageQuery(platform: Platform, scope: ServiceScope, id: string) {
	return queryOptions({
		queryKey: [...messagesKey(scope), "one", id],
		queryFn: ({ signal }) =>
			call<Message>(platform, scope, { path: `messages/${encodeURIComponent(id)}`, signal }),
		refetchInterval: ({ state }) => (Number(state.data?.pending) > 0 ? pollMilliseconds : false),
	});
}

const openStatuses: readonly string[] = ["queued", "sending", "unknown"];

export function deliveryQuery(platform: Platform, scope: ServiceScope, id: string) {
	return queryOptions({
		queryKey: [...messagesKey(scope), "delivery", id],
		queryFn: ({ signal }) =>
			call<DeliveryDetail>(platform, scope, { path: `deliveries/${encodeURIComponent(id)}`, signal }),
		refetchInterval: ({ state }) =>
			openStatuses.includes(state.data?.status ?? "") ? pollMilliseconds : false,
	});
}

export function statisticsQuery(
	platform: Platform,
	scope: ServiceScope,
	query: { from?: string; to?: string },
) {
	return queryOptions({
		queryKey: [...messagesKey(scope), "statistics", query],
		queryFn: ({ signal }) => call<Statistics>(platform, scope, { path: "statistics", signal, query }),
	});
}

/** The address of a delivery in clear. The request is recorded in the audit log. */
export const revealAddress = (platform: Platform, scope: ServiceScope, id: string) =>
	call<{ address: string }>(platform, scope, { path: `deliveries/${encodeURIComponent(id)}/address` });

/** Sends a delivery again, and returns the id of the new message. */
export const resend = (
	platform: Platform,
	scope: ServiceScope,
	{ id, mayDuplicate }: { id: string; mayDuplicate: boolean },
) =>
	call<{ requestId: string }>(platform, scope, {
		path: `deliveries/${encodeURIComponent(id)}/resend`,
		method: "POST",
		body: { may_duplicate: mayDuplicate },
	});

/** Cancels the deliveries of a message that are still queued. */
export const cancel = (platform: Platform, scope: ServiceScope, id: string) =>
	call<{ cancelled: number }>(platform, scope, {
		path: `messages/${encodeURIComponent(id)}/cancel`,
		method: "POST",
	});

/** Sends the deliveries of a filter again. */
export const redrive = (platform: Platform, scope: ServiceScope, body: object) =>
	call<Redrive>(platform, scope, { path: "deliveries/redrive", method: "POST", body });

type Options = Omit<NonNullable<Parameters<Platform["client"]["call"]>[1]>, "outlet"> & { path: string };

function call<T>(platform: Platform, scope: ServiceScope, { path, ...options }: Options): Promise<T> {
	const address = notificationsAddress(platform, scope, path);
	return platform.client.call<T>(address, { ...options, outlet: scope.outlet });
}
