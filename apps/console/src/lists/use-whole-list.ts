import { type CallOptions, listItems } from "@lango/client";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { usePlatform } from "../platform.ts";

type Options = {
	/** The cache key of the list. */
	key: readonly unknown[];
	/** The address of the list, without its query. */
	address: string;
	/** `none`: the list of the whole tenant, independent of the selected outlet. */
	outlet?: CallOptions["outlet"];
};

const pageSize = 100;
/** More than any list read this way can have: the services limit sessions per user and roles per tenant. */
const itemsMax = 1_000;

/** Loads all items of a short list, so that the page can search it. */
export function useWholeList<T>({ key, address, outlet }: Options): UseQueryResult<readonly T[]> {
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
