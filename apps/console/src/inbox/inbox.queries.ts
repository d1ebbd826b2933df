import { queryOptions } from "@tanstack/react-query";
import { type Platform, platformIdOf } from "../platform.ts";

/** An item of a person's inbox, as `/inbox` of the notification service returns it. */
export type InboxItem = {
	id: string;
	title: string;
	body: string;
	link: string | null;
	category: string;
	created_at: string;
	seen_at: string | null;
	read_at: string | null;
	archived_at: string | null;
};

/** The items that are not archived: not read, and of these not seen. */
export type InboxCounts = { unread: number; unseen: number };

/** The items in the list of the bell. */
const latestMax = 6;

export const countKey = (slug: string) => ["inbox", slug, "count"];
/** The cache key of all lists of items. */
export const itemsKey = (slug: string) => ["inbox", slug, "items"];

/** The address of a person's own things at the notification service; undefined if it is not installed. */
export function ownAddress({ settings }: Platform, slug: string): string | undefined {
	const url = settings.services.notifications;
	return url && `${url}/api/v1/${encodeURIComponent(slug)}/notifications`;
}

/** The options of requests about things that are a person's or the tenant's, not an outlet's. */
export const wholeOf = (platform: Platform, slug: string) =>
	({ outlet: "none", query: { tenantId: platformIdOf(platform, slug) } }) as const;

export function countQuery(platform: Platform, slug: string) {
	const address = ownAddress(platform, slug);
	return queryOptions({
		queryKey: countKey(slug),
		queryFn: ({ signal }) =>
			platform.client.call<InboxCounts>(`${address}/inbox/count`, { ...wholeOf(platform, slug), signal }),
		enabled: address !== undefined,
	});
}

/** The newest items, for the list of the bell. */
export function latestQuery(platform: Platform, slug: string) {
	const address = ownAddress(platform, slug);
	return queryOptions({
		queryKey: [...itemsKey(slug), "latest"],
		queryFn: async ({ signal }) => {
			const { query, ...whole } = wholeOf(platform, slug);
			const options = { ...whole, query: { ...query, limit: latestMax }, signal };
			return (await platform.client.call<{ items: InboxItem[] }>(`${address}/inbox`, options)).items;
		},
		enabled: address !== undefined,
	});
}

type ItemChange = { read?: boolean; archived?: boolean };

export function changeItem(platform: Platform, slug: string, item: { id: string } & ItemChange) {
	const { id, ...body } = item;
	const address = `${ownAddress(platform, slug)}/inbox/${encodeURIComponent(id)}`;
	return platform.client.call<InboxItem>(address, { ...wholeOf(platform, slug), method: "PATCH", body });
}

/** Marks all items as seen or as read. */
export function markAll(platform: Platform, slug: string, as: "see" | "read"): Promise<InboxCounts> {
	const address = `${ownAddress(platform, slug)}/inbox/${as}-all`;
	return platform.client.call(address, { ...wholeOf(platform, slug), method: "POST" });
}
