import { useProfile } from "@lango/client/react";
import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import {
	deliverabilityKey,
	type ListedReputation,
	type Reputation,
	reputationsAddress,
	type State,
	states,
	type TenantScope,
} from "./deliverability.queries.ts";
import { useDeliverabilityTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/deliverability");

/** `/{slug}/platform/deliverability?q=&state=`: the bounces of each tenant, and what is paused. */
export function DeliverabilityPage() {
	const { slug } = route.useParams();
	return (
		<ServiceGate service="notifications" slug={slug} permission="notifications.limits.view" isForPlatform>
			{({ service }) => <Reputations scope={{ service, slug }} />}
		</ServiceGate>
	);
}

function Reputations({ scope }: { scope: TenantScope }) {
	const words = useDeliverabilityTexts();
	const list = usePagedList<ListedReputation>({
		key: [...deliverabilityKey, "list"],
		address: reputationsAddress(usePlatform(), scope),
		query: { tenantId: useProfile()?.tenantId },
		fields: [
			{ kind: "search", name: "q", label: words.search },
			choiceOf("state", words.state, [states, words.states]),
		],
		outlet: "none",
	});
	return (
		<Page title={words.title} lead={words.lead}>
			<PagedList
				isMain
				list={list}
				caption={words.title}
				columns={useColumns(scope.slug)}
				keyOf={({ tenant_id }) => tenant_id}
			/>
		</Page>
	);
}

function useColumns(slug: string): Column<ListedReputation>[] {
	const words = useDeliverabilityTexts();
	const format = useFormat();
	return [
		{
			head: words.tenant,
			cell: (one) => (
				<RowName detail={one.slug}>
					<Link
						to="/$slug/platform/deliverability/$tenant"
						params={{ slug, tenant: one.slug }}
						className={buttonLook("quiet")}
					>
						{one.name === "" ? one.slug : one.name}
					</Link>
				</RowName>
			),
		},
		{ head: words.state, cell: ({ state }) => <StateBadge state={state} /> },
		{ head: words.sent, isNumber: true, cell: ({ sent }) => format.number(sent) },
		{ head: words.bounces, isNumber: true, cell: ({ bounce_rate }) => <Rate rate={bounce_rate} /> },
		{ head: words.complaints, isNumber: true, cell: ({ complaint_rate }) => <Rate rate={complaint_rate} /> },
		{ head: words.since, cell: ({ since }) => (since === null ? "–" : format.time(since)) },
	];
}

const kinds = { ok: "done", warned: "warning", paused: "error" } as const;

export function StateBadge({ state }: { state: State }) {
	const words = useDeliverabilityTexts();
	return <Badge kind={kinds[state]}>{words.states[state]}</Badge>;
}

/** A share in percent. Complaints are far below one percent. */
export function Rate({ rate }: { rate: Reputation["bounce_rate"] }) {
	const format = useFormat();
	return rate === null ? "–" : `${format.number(Math.round(rate * 10_000) / 100)} %`;
}
