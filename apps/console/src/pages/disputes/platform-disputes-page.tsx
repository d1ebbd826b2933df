import { buttonLook, type Column, RowName } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { TenantName } from "../tenants/tenant-name.tsx";
import { useTenantOf } from "../tenants/use-tenant-of.ts";
import {
	disputeStatuses,
	isOpen,
	isOverdue,
	type OperatorDispute,
	operatorDisputesAddress,
} from "./dispute.queries.ts";
import { DisputeStatus } from "./dispute-status.tsx";
import { ResolveDisputeButton } from "./resolve-dispute-button.tsx";
import { useDisputeTexts } from "./texts.ts";

/** `/{slug}/platform/disputes`: the disputes of all organisations, with what these say about them. */
export function PlatformDisputesPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <PlatformDisputes />;
}

function PlatformDisputes() {
	const words = useDisputeTexts();
	const list = usePagedList<OperatorDispute>({
		key: ["treasury", "disputes"],
		address: operatorDisputesAddress(usePlatform()),
		fields: [choiceOf("status", words.status, [disputeStatuses, words.statuses])],
		outlet: "none",
	});
	return (
		<Page title={words.ofAll.title} lead={words.ofAll.lead}>
			<PagedList
				list={list}
				isMain
				caption={words.ofAll.title}
				columns={useColumns()}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

function useColumns(): Column<OperatorDispute>[] {
	const words = useDisputeTexts();
	const format = useFormat();
	return [
		{
			head: words.dispute,
			cell: (dispute) => (
				<RowName detail={<TenantName id={dispute.tenant_id} />}>
					<DisputeLink dispute={dispute} />
				</RowName>
			),
		},
		{ head: words.ofAll.gatewayId, isLong: true, cell: ({ gateway_id }) => gateway_id },
		{
			head: words.status,
			cell: (dispute) => (
				<RowName detail={isOpen(dispute) && dispute.proposed_as !== null && words.resolve.proposed}>
					<DisputeStatus {...dispute} />
				</RowName>
			),
		},
		{
			head: words.due,
			cell: (dispute) => (isOpen(dispute) && dispute.due_at !== null ? format.time(dispute.due_at) : "–"),
		},
		{ head: words.ofAll.note, isLong: true, cell: ({ note }) => note ?? "–" },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
		{
			...{ head: words.resolve.label, isHeadHidden: true, isNumber: true },
			cell: (dispute) => isOverdue(dispute, Date.now()) && <ResolveDisputeButton dispute={dispute} />,
		},
	];
}

/** What kind of dispute it is: a link to its page as soon as the organisation is known. */
function DisputeLink({ dispute: { id, tenant_id, category, created_at } }: { dispute: OperatorDispute }) {
	const words = useDisputeTexts();
	const format = useFormat();
	const { slug } = useTenantOf(tenant_id);
	const name = wordFor(words.categories, category ?? "chargeback");
	if (slug === undefined) return name;
	return (
		<Link
			to="/$slug/disputes/$id"
			params={{ slug, id }}
			className={buttonLook("quiet")}
			aria-label={words.open(name, format.time(created_at))}
		>
			{name}
		</Link>
	);
}
