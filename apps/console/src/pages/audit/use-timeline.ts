import type { Page } from "@lango/client";
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { aboutOf } from "../../audit/kinds.ts";
import { filterQuery } from "../../lists/filter-query.ts";
import { useListFilters, useListPages } from "../../lists/list-address.ts";
import type { ListState } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useTenant, useZone } from "../../tenant/use-tenant.ts";
import { type AuditRow, peopleIn, toRow } from "./audit-row.ts";
import { namesOfQuery } from "./names.queries.ts";
import { readPage, type Source, sourcesOf, type TimelinePage, type TimelineQuery } from "./sources.ts";
import { useTimelineFields } from "./use-timeline-fields.ts";

const pageSize = 50;
const names = ["source", "kind", "actor", "from", "to"];

type Timeline = {
	list: ListState<AuditRow>;
	/** What the page shows: the services and the filters. */
	sources: Source[];
	query: TimelineQuery;
	/** The services that did not answer. */
	missing: readonly string[];
};

/** The logs of the organisation and its services as one list, with its filters. */
export function useTimeline(slug: string): Timeline {
	const platform = usePlatform();
	const tenant = useTenant();
	const timeZone = useZone();
	const filters = useListFilters("", names);
	const fields = useTimelineFields(slug, filters.filter["actor"]);
	const pages = useListPages("");
	const { source, kind, actor } = filters.filter;
	const all = sourcesOf(platform, { id: tenant?.id ?? "", slug });
	const sources = source === undefined ? all : all.filter(({ name }) => name === source);
	const days = filterQuery(fields, filters.filter, timeZone);
	const query: TimelineQuery = { from: days["from"], to: days["to"], actor, about: aboutOf(kind) };
	const { cursor } = pages;
	const page = useQuery({
		queryKey: ["audit", slug, "timeline", source, query, cursor],
		queryFn: ({ signal }) => readPage(platform, sources, { query, signal, cursor, size: pageSize }),
		placeholderData: keepPreviousData,
		enabled: tenant !== undefined,
	});
	const list = { filters, fields, pages, pageSize, before: page.data?.before, query: useRows(slug, page) };
	return { list, sources, query, missing: page.data?.missing ?? [] };
}

/** The entries with the names of their people. */
function useRows(slug: string, page: UseQueryResult<TimelinePage>): UseQueryResult<Page<AuditRow>> {
	const platform = usePlatform();
	const people = page.data?.items.flatMap(peopleIn) ?? [];
	const found = useQuery(namesOfQuery(platform, slug, people));
	// Wait for the names, so that a user is not shown as unknown first.
	const isWaiting = people.length > 0 && (found.isLoading || found.isPlaceholderData);
	const known = found.data ?? new Map<string, string>();
	const data =
		page.data === undefined || isWaiting
			? undefined
			: { ...page.data, items: page.data.items.map((entry) => toRow(entry, known)) };
	return { ...page, data } as UseQueryResult<Page<AuditRow>>;
}
