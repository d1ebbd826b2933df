import type { SubscriptionPayment, UsageBill } from "@lango/contracts";
import { type Column, RowName } from "@lango/interface";
import { useFailureReason } from "../../../failure-codes/failure-reason.ts";
import { Badge } from "../../../layout/badge.tsx";
import { Section } from "../../../layout/section.tsx";
import { PagedList, usePagedList } from "../../../lists/paged-list.tsx";
import { usePlatform } from "../../../platform.ts";
import { subscriptionAddress } from "../../../subscription/subscription.queries.ts";
import { usePlanName } from "../../../subscription/use-plan-name.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { wordFor } from "../../../texts/texts.ts";
import { useOverviewTexts } from "../../overview/texts.ts";
import { useHistoryTexts } from "./texts.ts";

const pageSize = 10;

/** Payments and overage invoices, newest first. */
export function History({ tenantId }: { tenantId: string }) {
	return (
		<>
			<Payments tenantId={tenantId} />
			<Bills tenantId={tenantId} />
		</>
	);
}

const paymentKinds: Readonly<Record<SubscriptionPayment["status"], "done" | "warning" | "error" | "plain">> =
	{
		requested: "warning",
		paid: "done",
		credited: "plain",
		refused: "error",
		withdrawn: "plain",
		unanswered: "plain",
	};

/** Whether a failed attempt still matters: the payment was refused, or is tried again. */
const isRefused = (status: SubscriptionPayment["status"]) => status === "refused" || status === "requested";

function Payments({ tenantId }: { tenantId: string }) {
	const platform = usePlatform();
	const words = useHistoryTexts();
	const nameOf = usePlanName();
	const format = useFormat();
	const reasonOf = useFailureReason("payment");
	const list = usePagedList<SubscriptionPayment>({
		key: ["payments", tenantId],
		address: subscriptionAddress(platform, tenantId, "/payments"),
		name: "payments",
		pageSize,
	});
	const columns: Column<SubscriptionPayment>[] = [
		{
			head: words.what,
			cell: ({ plan, kind }) => <RowName detail={words.kinds[kind]}>{nameOf(plan)}</RowName>,
		},
		{
			head: words.status,
			isLong: true,
			cell: ({ status, failure }) => (
				<RowName detail={isRefused(status) && failure !== null && reasonOf(failure)}>
					{status === "requested" && failure !== null ? (
						<Badge kind="error">{words.refusedBefore}</Badge>
					) : (
						<Badge kind={paymentKinds[status]}>{words.statuses[status]}</Badge>
					)}
				</RowName>
			),
		},
		{ head: words.asked, cell: ({ requested_at }) => format.time(requested_at) },
		{
			head: words.settled,
			cell: ({ settled_at }) => (settled_at === null ? words.notYet : format.time(settled_at)),
		},
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
	];
	return (
		<Section title={words.payments}>
			<PagedList
				list={list}
				caption={words.payments}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noPayments}
			/>
		</Section>
	);
}

const billKinds = { requested: "warning", paid: "done", unpaid: "error" } as const;

function Bills({ tenantId }: { tenantId: string }) {
	const platform = usePlatform();
	const words = useHistoryTexts();
	const format = useFormat();
	const reasonOf = useFailureReason("payment");
	const list = usePagedList<UsageBill>({
		key: ["subscription", tenantId, "bills"],
		address: subscriptionAddress(platform, tenantId, "/bills"),
		name: "bills",
		pageSize,
	});
	const columns: Column<UsageBill>[] = [
		{ head: words.period, cell: ({ period_ends_at }) => format.day(period_ends_at) },
		{ head: words.used, cell: (bill) => <BillLines bill={bill} /> },
		{
			head: words.status,
			cell: ({ status, failure, next_attempt_at: next }) => (
				<RowName detail={status !== "paid" && failure !== null && reasonOf(failure)}>
					<Badge kind={billKinds[status]}>{words.billStatuses[status]}</Badge>
					{next !== null && <span className="ml-2 text-quiet">{words.retried(format.day(next))}</span>}
				</RowName>
			),
		},
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
	];
	return (
		<Section title={words.bills} lead={words.billsLead}>
			<PagedList
				list={list}
				caption={words.bills}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noBills}
			/>
		</Section>
	);
}

function BillLines({ bill: { lines, currency, balance_minor } }: { bill: UsageBill }) {
	const words = useHistoryTexts();
	const { metrics } = useOverviewTexts();
	const format = useFormat();
	const money = (minor: number) => format.money(minor, currency);
	return (
		<ul>
			{lines.map(({ metric, units, unit_price_minor }) => (
				<li key={metric}>
					{words.line(format.number(units), wordFor(metrics, metric), money(unit_price_minor))}
				</li>
			))}
			{balance_minor > 0 && <li className="text-quiet">{words.fromCredit(money(balance_minor))}</li>}
		</ul>
	);
}
