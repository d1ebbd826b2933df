import { buttonLook } from "@lango/interface";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { DecideButtons } from "./decide-buttons.tsx";
import {
	bulkWaitingQuery,
	isOpen,
	type Payout,
	payoutStatuses,
	payoutsAddress,
	payoutsKey,
} from "./payout.queries.ts";
import { usePayoutColumns } from "./payout-columns.tsx";
import { RequestPayoutButton } from "./request-payout-button.tsx";
import { usePayoutTexts } from "./texts.ts";

const route = getRouteApi("/$slug/payouts");

/** `/{slug}/payouts`: money out, the newest first, and what waits for approval. */
export function PayoutsPage() {
	const { slug } = route.useParams();
	const words = usePayoutTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.payouts.view">
			{(scope, granted) => (
				<Page
					title={words.title}
					lead={words.lead}
					actions={isGranted(granted, "treasury.payouts.add") && <Requests scope={scope} />}
				>
					{isGranted(granted, "treasury.payouts.manage") && <Queue scope={scope} />}
					<Payouts scope={scope} />
				</Page>
			)}
		</ServiceGate>
	);
}

function Requests({ scope }: { scope: ServiceScope }) {
	const { bulk } = usePayoutTexts();
	return (
		<span className="flex flex-wrap gap-3">
			<Link to="/$slug/payouts/bulk" params={{ slug: scope.slug }} className={buttonLook("plain")}>
				{bulk.many}
			</Link>
			<RequestPayoutButton scope={scope} />
		</span>
	);
}

/**
 * What waits for approval. It is left out where nothing does. Other people request payouts at any time, so
 * it is read again all the time.
 */
function Queue({ scope }: { scope: ServiceScope }) {
	const words = usePayoutTexts();
	const list = usePagedList<Payout>({
		key: [...payoutsKey(scope), "waiting"],
		address: payoutsAddress(usePlatform(), scope),
		query: { status: "awaiting_approval" },
		outlet: "none",
		name: "waiting",
		isChanging: () => true,
	});
	const columns = usePayoutColumns(scope.slug).filter(({ head }) => head !== words.status);
	const waiting = list.query.data?.items ?? [];
	if (waiting.length === 0 && list.pages.number === 1 && !isFailed(list.query)) return null;
	return (
		<Section title={words.queue} lead={words.queueLead}>
			<Bulks scope={scope} waiting={waiting} />
			<PagedList
				list={list}
				caption={words.queue}
				columns={[
					...columns,
					{
						...{ head: words.decision, isHeadHidden: true, isNumber: true },
						cell: (payout) => <DecideButtons scope={scope} payout={payout} />,
					},
				]}
				keyOf={({ id }) => id}
			/>
		</Section>
	);
}

type Failing = Pick<UseQueryResult, "data" | "error" | "errorUpdateCount">;

/** Whether a list could not be read. It has failed until it is read: also while it is tried again. */
const isFailed = ({ data, error, errorUpdateCount }: Failing): boolean =>
	error !== null || (data === undefined && errorUpdateCount > 0);

/** Bulk requests, whose payouts are approved together. */
function Bulks({ scope, waiting }: { scope: ServiceScope; waiting: readonly Payout[] }) {
	const ids = [...new Set(waiting.map(({ batch_id }) => batch_id))].filter((id) => id !== null);
	return ids.map((id) => (
		<p key={id} className="mb-4">
			<BulkLink scope={scope} id={id} />
		</p>
	));
}

/** Leads to a bulk request, and says how many of all its payouts wait. */
function BulkLink({ scope, id }: { scope: ServiceScope; id: string }) {
	const { bulk } = usePayoutTexts();
	const { data: count } = useQuery(bulkWaitingQuery(usePlatform(), { scope, id }));
	if (count === undefined) return null;
	return (
		<Link to="/$slug/payouts/bulk/$id" params={{ slug: scope.slug, id }} className={buttonLook("quiet")}>
			{bulk.open(count)}
		</Link>
	);
}

function Payouts({ scope }: { scope: ServiceScope }) {
	const { slug } = scope;
	const words = usePayoutTexts();
	const list = usePagedList<Payout>({
		key: [...payoutsKey(scope), "list"],
		address: payoutsAddress(usePlatform(), scope),
		fields: [choiceOf("status", words.status, [payoutStatuses, words.statuses])],
		outlet: "none",
		isChanging: (payouts) => payouts.some(isOpen),
	});
	return (
		<Section title={words.all}>
			<PagedList
				list={list}
				isMain
				caption={words.all}
				columns={usePayoutColumns(slug)}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Section>
	);
}
