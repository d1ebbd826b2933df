import type { AdminTenant } from "@lango/contracts";
import { type Column, RowName, SearchField } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { Page } from "../../layout/page.tsx";
import { FilterSelect, Filters } from "../../lists/filters.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useSlug } from "../../tenant/use-tenant.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { tenantsAddress, tenantsKey } from "./tenant.queries.ts";
import { TenantStatus } from "./tenant-status.tsx";
import { useTenantTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/tenants");
const statuses = ["active", "suspended", "deleted"] as const;
const given = (text: string) => (text === "" ? undefined : text);

/**
 * `/{slug}/platform/tenants?q=&status=`: all tenants, searched by name and slug, filtered by status. Search
 * and filter are kept in the address.
 */
export function TenantsPage() {
	const words = useTenantTexts();
	const { q = "", status = "" } = route.useSearch();
	const navigate = route.useNavigate();
	const choose = (chosen: string) =>
		void navigate({ search: (now) => ({ ...now, status: chosen }), replace: true });
	const search = useCallback(
		(text: string) => void navigate({ search: (now) => ({ ...now, q: text }), replace: true }),
		[navigate],
	);
	const list = usePagedList<AdminTenant>({
		key: tenantsKey,
		address: tenantsAddress(usePlatform()),
		query: { q: given(q), status: given(status) },
	});
	const columns = useColumns();
	const options = [
		{ value: "", label: words.anyStatus },
		...statuses.map((value) => ({ value, label: words.statuses[value] })),
	];
	return (
		<Page title={words.title} lead={words.lead}>
			<Filters>
				<SearchField label={words.search} onSearch={search} initial={q} />
				<FilterSelect label={words.status} options={options} value={status} onChange={choose} />
			</Filters>
			<PagedList
				isMain
				list={list}
				caption={words.title}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.nothingFound}
			/>
		</Page>
	);
}

function useColumns(): Column<AdminTenant>[] {
	const slug = useSlug();
	const words = useTenantTexts();
	const { useCases } = useTexts();
	const format = useFormat();
	return [
		{
			head: words.name,
			cell: (tenant) => (
				<RowName detail={tenant.slug}>
					<Link
						to="/$slug/platform/tenants/$tenantId"
						params={{ slug, tenantId: tenant.id }}
						className="inline-flex min-h-11 items-center font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2 md:min-h-0"
					>
						{tenant.name === "" ? tenant.slug : tenant.name}
					</Link>
				</RowName>
			),
		},
		{ head: words.status, cell: ({ status }) => <TenantStatus status={status} /> },
		{
			head: words.useCase,
			cell: ({ use_case }) => (use_case === null ? "–" : wordFor(useCases, use_case)),
		},
		{ head: words.size, cell: ({ org_size }) => (org_size === null ? "–" : words.people(org_size)) },
		{ head: words.since, cell: ({ created_at }) => format.day(created_at) },
	];
}
