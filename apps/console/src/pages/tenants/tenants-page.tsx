import type { AdminTenant } from "@lango/contracts";
import { type Column, RowName } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useSlug } from "../../tenant/use-tenant.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { tenantsAddress, tenantsKey } from "./tenant.queries.ts";
import { TenantStatus } from "./tenant-status.tsx";
import { useTenantTexts } from "./texts.ts";

const statuses = ["active", "suspended", "deleted"] as const;

/**
 * `/{slug}/platform/tenants?q=&status=`: all tenants, searched by name and slug, filtered by status. Search
 * and filter are kept in the address.
 */
export function TenantsPage() {
	const words = useTenantTexts();
	const list = usePagedList<AdminTenant>({
		key: tenantsKey,
		address: tenantsAddress(usePlatform()),
		fields: [
			{ kind: "search", name: "q", label: words.search },
			{ ...choiceOf("status", words.status, [statuses, words.statuses]), unset: words.anyStatus },
		],
	});
	const columns = useColumns();
	return (
		<Page title={words.title} lead={words.lead}>
			<PagedList isMain list={list} caption={words.title} columns={columns} keyOf={({ id }) => id} />
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
						className="inline-flex min-h-11 items-center font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2 rows:min-h-0"
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
