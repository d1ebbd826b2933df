import { listItems, listPage } from "@lango/client";
import type { Member } from "@lango/contracts";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { findNames } from "./find-names.ts";

const pageMax = 200;
/** The maximum number of members that are searched. */
const searchedMax = 1_000;
const staleMilliseconds = 60_000;

/** The names of a tenant's members by id, from the first page, for the filter. */
export function namesQuery(platform: Platform, slug: string) {
	return queryOptions({
		queryKey: ["members", slug, "names"],
		queryFn: async ({ signal }) => {
			const query = { limit: pageMax };
			const address = `${tenantAddress(platform, slug)}/members`;
			const { items } = await listPage<Member>(platform.client, address, { query, signal });
			return new Map(items.map(({ user_id, name }) => [user_id, name]));
		},
		staleTime: staleMilliseconds,
	});
}

/** The names of these users of a tenant, searched page by page. */
export function namesOfQuery(platform: Platform, slug: string, ids: readonly string[]) {
	const userIds = [...new Set(ids)].toSorted();
	return queryOptions({
		queryKey: ["members", slug, "names", userIds],
		queryFn: ({ signal }) => {
			const options = { query: { limit: pageMax }, itemsMax: searchedMax, signal };
			return findNames(
				listItems<Member>(platform.client, `${tenantAddress(platform, slug)}/members`, options),
				userIds,
			);
		},
		placeholderData: keepPreviousData,
		staleTime: staleMilliseconds,
		enabled: userIds.length > 0,
	});
}
