import { type CallOptions, listItems } from "@lango/client";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { usePlatform } from "../platform.ts";

type Asked = {
	/** The key of the list in the cache. */
	key: readonly unknown[];
	/** The address of the list, without its query. */
	address: string;
	/** `none`: a list of the whole tenant, whichever outlet is selected. */
	outlet?: CallOptions["outlet"];
};

const pageSize = 100;
/** More than any list that is read this way can have: the services bound sessions per person and roles per tenant. */
const itemsMax = 1_000;

/** All items of a short list, read page by page, to be searched on the page. */
export function useWholeList<T>({ key, address, outlet }: Asked): UseQueryResult<readonly T[]> {
	const { client } = usePlatform();
	return useQuery({
		queryKey: [...key, "whole"],
		queryFn: async ({ signal }) => {
			const all: T[] = [];
			const query = { limit: pageSize };
			for await (const one of listItems<T>(client, address, { query, itemsMax, outlet, signal }))
				all.push(one);
			return all;
		},
	});
}
