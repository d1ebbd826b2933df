import { type Column, RowName } from "@lango/interface";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { Badge } from "../../layout/badge.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import {
	type CardSubscription,
	cardPlansKey,
	subscriptionsAddress,
	switchSubscription,
} from "./card-plan.queries.ts";
import { cardName } from "./card-plan-form.ts";
import { SubscribeButton } from "./subscribe-button.tsx";
import { useCardPlanTexts } from "./texts.ts";

type Props = { scope: ServiceScope; granted: ReadonlySet<string> };

/** The cards that are charged by a plan, with what can be done with each. */
export function SubscriptionList({ scope, granted }: Props) {
	const words = useCardPlanTexts();
	const list = usePagedList<CardSubscription>({
		key: [...cardPlansKey(scope), "subscriptions"],
		address: subscriptionsAddress(usePlatform(), scope),
		outlet: "none",
		name: "subscriptions",
		isChanging: (all) => all.some(({ status }) => status === "creating"),
	});
	return (
		<>
			{isGranted(granted, "treasury.card_plans.add") && (
				<div className="mb-4">
					<SubscribeButton scope={scope} />
				</div>
			)}
			<PagedList
				list={list}
				caption={words.subscriptions}
				columns={useColumns({ scope, granted })}
				keyOf={({ id }) => id}
				empty={words.noSubscriptions}
			/>
		</>
	);
}

/** How each status looks. */
const subscriptionLooks = {
	creating: "warning",
	active: "done",
	attention: "error",
	non_renewing: "plain",
	disabled: "plain",
	completed: "plain",
	failed: "error",
} as const;

function useColumns({ scope, granted }: Props): Column<CardSubscription>[] {
	const words = useCardPlanTexts();
	const format = useFormat();
	const reasonOf = useFailureReason("payment");
	const columns: Column<CardSubscription>[] = [
		{
			head: words.card,
			cell: ({ card, plan_name }) => (
				<RowName detail={plan_name}>{card === null ? words.erased : cardName(card)}</RowName>
			),
		},
		{
			head: words.status,
			cell: ({ status, failure_code: code }) => (
				<RowName detail={code && reasonOf(code)}>
					<Badge kind={subscriptionLooks[status]}>{words.statuses[status]}</Badge>
				</RowName>
			),
		},
		{
			head: words.next,
			cell: ({ status, next_payment_at }) =>
				next_payment_at === null || !isCharging(status) ? "–" : format.day(next_payment_at),
		},
		{ head: words.charged, isNumber: true, cell: ({ executions }) => String(executions) },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
	];
	if (!isGranted(granted, "treasury.card_plans.manage")) return columns;
	return [
		...columns,
		{
			head: words.actions,
			isHeadHidden: true,
			isNumber: true,
			cell: (one) => <SwitchButton scope={scope} subscription={one} />,
		},
	];
}

const isCharging = (status: CardSubscription["status"]): boolean =>
	status === "active" || status === "attention";

type Switch = { scope: ServiceScope; subscription: CardSubscription };

function SwitchButton({ scope, subscription: { id, status, card, plan_name } }: Switch) {
	const platform = usePlatform();
	const words = useCardPlanTexts();
	const canResume = status === "non_renewing" || status === "disabled";
	if (!isCharging(status) && !canResume) return null;
	const to = canResume ? "enable" : "disable";
	return (
		<ConfirmButton
			texts={canResume ? words.resume : words.stop}
			isDestructive={!canResume}
			name={`${card === null ? words.erased : cardName(card)}, ${plan_name}`}
			action={() => switchSubscription(platform, { scope, id, to })}
			invalidates={cardPlansKey(scope)}
			messages={words.errors}
		/>
	);
}
