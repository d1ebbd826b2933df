import { type Column, RowName } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { AskForOrderButton } from "./ask-for-order-button.tsx";
import {
	isOpen,
	orderStatuses,
	ordersAddress,
	ordersKey,
	type StandingOrder,
	stopOrder,
} from "./standing-order.queries.ts";
import { useStandingOrderTexts } from "./texts.ts";

const route = getRouteApi("/$slug/standing-orders");

/** `/{slug}/standing-orders`: what wallets of payers pay again and again. The filter is in the address. */
export function StandingOrdersPage() {
	const { slug } = route.useParams();
	const words = useStandingOrderTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.standing_orders.view">
			{(scope, granted) => (
				<Page
					title={words.title}
					lead={words.lead}
					actions={isGranted(granted, "treasury.standing_orders.add") && <AskForOrderButton scope={scope} />}
				>
					<Orders scope={scope} mayStop={isGranted(granted, "treasury.standing_orders.manage")} />
				</Page>
			)}
		</ServiceGate>
	);
}

type Props = { scope: ServiceScope; mayStop: boolean };

function Orders({ scope, mayStop }: Props) {
	const words = useStandingOrderTexts();
	const list = usePagedList<StandingOrder>({
		key: [...ordersKey(scope), "list"],
		address: ordersAddress(usePlatform(), scope),
		fields: [choiceOf("status", words.status, [orderStatuses, words.statuses])],
		outlet: "none",
		isChanging: (orders) =>
			orders.some(({ status }) => status === "requested" || status === "consent_pending"),
	});
	return (
		<PagedList
			list={list}
			isMain
			caption={words.title}
			columns={useColumns({ scope, mayStop })}
			keyOf={({ id }) => id}
			empty={words.none}
		/>
	);
}

const looks = {
	requested: "warning",
	consent_pending: "warning",
	active: "done",
	ended: "plain",
	stopped: "plain",
	failed: "error",
} as const;

function useColumns({ scope, mayStop }: Props): Column<StandingOrder>[] {
	const words = useStandingOrderTexts();
	const format = useFormat();
	const reasonOf = useFailureReason("payment");
	const dayOf = (day: string) => format.day(`${day}T12:00:00Z`);
	return [
		{
			head: words.payer,
			cell: ({ phone_masked, description }) => <RowName detail={description}>{phone_masked}</RowName>,
		},
		{
			head: words.status,
			cell: ({ status, failure_code: code }) => (
				<RowName detail={code && reasonOf(code)}>
					<Badge kind={looks[status]}>{words.statuses[status]}</Badge>
				</RowName>
			),
		},
		{ head: words.frequency, cell: ({ frequency }) => words.frequencies[frequency] },
		{ head: words.time, cell: ({ start_on, end_on }) => words.from(dayOf(start_on), dayOf(end_on)) },
		{ head: words.executions, isNumber: true, cell: ({ executions }) => executions },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
		{
			...{ head: words.actions, isHeadHidden: true, isNumber: true },
			cell: (order) => mayStop && isOpen(order) && <StopButton scope={scope} order={order} />,
		},
	];
}

function StopButton({ scope, order }: { scope: ServiceScope; order: StandingOrder }) {
	const platform = usePlatform();
	const words = useStandingOrderTexts();
	return (
		<ConfirmButton
			kind="quiet"
			isDestructive
			texts={words.stop}
			name={order.phone_masked}
			action={() => stopOrder(platform, scope, order.id)}
			invalidates={ordersKey(scope)}
			messages={words.errors}
		/>
	);
}
