import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { platformIdOf, usePlatform } from "../platform.ts";
import { countKey, type InboxCounts, itemsKey, ownAddress } from "./inbox.queries.ts";

/**
 * Keeps the counts and lists of the inbox up to date by a stream, while the page is visible. Without the
 * notification service, nothing happens: the stream is retried in the background.
 */
export function useLiveInbox(slug: string): void {
	const platform = usePlatform();
	const queries = useQueryClient();
	const address = ownAddress(platform, slug);
	const platformId = platformIdOf(platform, slug);
	const { client } = platform;
	// A person has at most five streams, and a browser few connections to a service: hidden tabs have none.
	const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === "visible");
	useEffect(() => {
		if (address === undefined || !isVisible) return;
		const query = platformId === undefined ? "" : `?tenantId=${platformId}`;
		return client.stream(`${address}/inbox/stream${query}`, {
			outlet: "none",
			onEvent({ event, data }) {
				if (event === "count") queries.setQueryData(countKey(slug), readCounts(data));
				void queries.invalidateQueries({ queryKey: itemsKey(slug) });
			},
		});
	}, [client, queries, address, platformId, slug, isVisible]);
}

function onVisibility(listener: () => void): () => void {
	document.addEventListener("visibilitychange", listener);
	return () => document.removeEventListener("visibilitychange", listener);
}

/** Throws a SyntaxError for anything but JSON. */
const readCounts = (data: string) => JSON.parse(data) as InboxCounts;
