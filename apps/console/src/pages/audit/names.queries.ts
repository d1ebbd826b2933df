import { listItems, listPage } from "@lango/client";
import type { Member } from "@lango/contracts";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { findNames } from "./find-names.ts";

const pageMax = 200;
/** Whoever came later than so many others is not looked for. */
const searchedMax = 1_000;
const staleMilliseconds = 60_000;

/** The names of a tenant's people to choose from by their id, as many as one page has. */
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

/** The names of these people of a tenant, looked for page by page until all are found. */
export function namesOfQuery(platform: Platform, slug: string, ids: readonly string[]) {
	const wanted = [...new Set(ids)].toSorted();
	return queryOptions({
		queryKey: ["members", slug, "names", wanted],
		queryFn: ({ signal }) => {
			const asked = { query: { limit: pageMax }, itemsMax: searchedMax, signal };
			return findNames(
				listItems<Member>(platform.client, `${tenantAddress(platform, slug)}/members`, asked),
				wanted,
			);
		},
		placeholderData: keepPreviousData,
		staleTime: staleMilliseconds,
		enabled: wanted.length > 0,
	});
}
