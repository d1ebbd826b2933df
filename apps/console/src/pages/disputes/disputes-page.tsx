import { buttonLook, type Column } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { type Dispute, disputeStatuses, disputesAddress, disputesKey, isOpen } from "./dispute.queries.ts";
import { DisputeStatus } from "./dispute-status.tsx";
import { useDisputeTexts } from "./texts.ts";

const route = getRouteApi("/$slug/disputes");

/** `/{slug}/disputes`: payments that payers dispute at their banks, the newest first. */
export function DisputesPage() {
	const { slug } = route.useParams();
	const words = useDisputeTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.disputes.view">
			{(scope) => (
				<Page title={words.title} lead={words.lead}>
					<Disputes scope={scope} />
				</Page>
			)}
		</ServiceGate>
	);
}

function Disputes({ scope }: { scope: ServiceScope }) {
	const { slug } = scope;
	const words = useDisputeTexts();
	const list = usePagedList<Dispute>({
		key: [...disputesKey(scope), "list"],
		address: disputesAddress(usePlatform(), scope),
		fields: [choiceOf("status", words.status, [disputeStatuses, words.statuses])],
		outlet: "none",
	});
	return (
		<PagedList
			list={list}
			isMain
			caption={words.title}
			columns={useColumns(slug)}
			keyOf={({ id }) => id}
			empty={words.none}
		/>
	);
}

function useColumns(slug: string): Column<Dispute>[] {
	const words = useDisputeTexts();
	const format = useFormat();
	return [
		{
			head: words.dispute,
			cell: ({ id, category, created_at }) => (
				<Link
					to="/$slug/disputes/$id"
					params={{ slug, id }}
					className={buttonLook("quiet")}
					aria-label={words.open(
						wordFor(words.categories, category ?? "chargeback"),
						format.time(created_at),
					)}
				>
					{wordFor(words.categories, category ?? "chargeback")}
				</Link>
			),
		},
		{ head: words.status, cell: (dispute) => <DisputeStatus {...dispute} /> },
		{
			head: words.due,
			cell: (dispute) => (isOpen(dispute) && dispute.due_at !== null ? format.time(dispute.due_at) : "–"),
		},
		{ head: words.created, cell: ({ created_at }) => format.time(created_at) },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
	];
}
