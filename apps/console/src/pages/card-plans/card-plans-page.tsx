import { type Column, RowName } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { type CardPlan, cardPlansKey, plansAddress } from "./card-plan.queries.ts";
import { MakePlanButton } from "./make-plan-button.tsx";
import { SubscriptionList } from "./subscription-list.tsx";
import { useCardPlanTexts } from "./texts.ts";

const route = getRouteApi("/$slug/card-plans");

/** `/{slug}/card-plans`: the plans by which cards are charged, and the cards that are. */
export function CardPlansPage() {
	const { slug } = route.useParams();
	const words = useCardPlanTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.card_plans.view">
			{(scope, granted) => (
				<Page
					title={words.title}
					lead={words.lead}
					actions={isGranted(granted, "treasury.card_plans.add") && <MakePlanButton scope={scope} />}
				>
					<Plans scope={scope} />
					<Section title={words.subscriptions} lead={words.subscriptionsLead}>
						<SubscriptionList scope={scope} granted={granted} />
					</Section>
				</Page>
			)}
		</ServiceGate>
	);
}

function Plans({ scope }: { scope: ServiceScope }) {
	const words = useCardPlanTexts();
	const list = usePagedList<CardPlan>({
		key: [...cardPlansKey(scope), "list"],
		address: plansAddress(usePlatform(), scope),
		outlet: "none",
	});
	return (
		<PagedList
			list={list}
			isMain
			caption={words.title}
			columns={usePlanColumns()}
			keyOf={({ id }) => id}
			empty={words.none}
		/>
	);
}

const planLooks = { creating: "warning", active: "done", failed: "error" } as const;

function usePlanColumns(): Column<CardPlan>[] {
	const words = useCardPlanTexts();
	const format = useFormat();
	return [
		{
			head: words.plan,
			cell: ({ name, interval }) => <RowName detail={words.intervals[interval]}>{name}</RowName>,
		},
		{
			head: words.status,
			cell: ({ status }) => <Badge kind={planLooks[status]}>{words.planStatuses[status]}</Badge>,
		},
		{ head: words.made, cell: ({ created_at }) => format.day(created_at) },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
	];
}
