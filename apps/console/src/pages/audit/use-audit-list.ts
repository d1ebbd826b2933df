import type { Page } from "@lango/client";
import type { TenantAuditEntry } from "@lango/contracts";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ListState, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { serviceAddress, servicesOf } from "../../services/service-access.queries.ts";
import { endOfDay, startOfDay } from "../../tenant/day-in-zone.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import type { AuditFilter } from "./audit-filters.tsx";
import {
	type AuditRow,
	foldVisits,
	fromService,
	fromSignOn,
	peopleIn,
	type ServiceAuditEntry,
} from "./audit-row.ts";
import { namesOfQuery } from "./names.queries.ts";

type Answered = TenantAuditEntry | ServiceAuditEntry;

/** The filtered entries of the log, of the sign-on service or a domain service, in one format. */
export function useAuditList(slug: string, filter: AuditFilter): ListState<AuditRow> {
	const platform = usePlatform();
	const timeZone = useZone();
	const { source, action, actor, from, to } = filter;
	const service = servicesOf(platform.settings).find((name) => name === source);
	const address =
		service === undefined ? tenantAddress(platform, slug) : serviceAddress(platform, { service, slug });
	const list = usePagedList<Answered>({
		key: ["audit", slug, source],
		address: `${address}/audit`,
		query: {
			action: action || undefined,
			actor: actor || undefined,
			from: startOfDay(from, timeZone)?.toISOString(),
			to: endOfDay(to, timeZone)?.toISOString(),
		},
	});
	const { query } = list;
	const shown = query.data?.items.flatMap((entry) => ("detail" in entry ? peopleIn(entry) : [])) ?? [];
	const names = useQuery(namesOfQuery(platform, slug, shown));
	// Wait for the names, so that a user is not shown as unknown first.
	if (names.isLoading || names.isPlaceholderData)
		return { ...list, query: { ...query, data: undefined } as UseQueryResult<Page<AuditRow>> };
	const known = names.data ?? new Map<string, string>();
	const convert = (entry: Answered) => ("detail" in entry ? fromService(entry, known) : fromSignOn(entry));
	return { ...list, query: withItems(query, (items) => foldVisits(items.map(convert))) };
}

/** Converts the items of a query result. */
function withItems<T, R>(
	query: UseQueryResult<Page<T>>,
	convert: (items: T[]) => R[],
): UseQueryResult<Page<R>> {
	const { data } = query;
	if (data === undefined) return query as unknown as UseQueryResult<Page<R>>;
	return { ...query, data: { ...data, items: convert(data.items) } } as UseQueryResult<Page<R>>;
}
