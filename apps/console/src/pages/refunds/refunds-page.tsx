import { useProfile } from "@lango/client/react";
import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { isMoving, type Refund, refundStatuses, refundsAddress, refundsKey } from "./refund.queries.ts";
import { ResolveRefundButton } from "./resolve-refund-button.tsx";
import { useRefundTexts } from "./texts.ts";

const route = getRouteApi("/$slug/refunds");

/** `/{slug}/refunds`: what was returned to payers, the newest first. The filter is in the address. */
export function RefundsPage() {
	const { slug } = route.useParams();
	const words = useRefundTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.refunds.view" isAlsoForPlatform>
			{(scope) => (
				<Page title={words.title} lead={words.lead}>
					<Refunds scope={scope} />
				</Page>
			)}
		</ServiceGate>
	);
}

function Refunds({ scope }: { scope: ServiceScope }) {
	const { slug } = scope;
	const words = useRefundTexts();
	const platform = usePlatform();
	const list = usePagedList<Refund>({
		key: [...refundsKey(scope), "list"],
		address: refundsAddress(platform, scope),
		...wholeOf(platform, scope.slug),
		fields: [
			choiceOf("status", words.status, [refundStatuses, words.statuses]),
			{ kind: "text", name: "receipt_id", label: words.of, isHidden: true },
		],
		isChanging: (refunds) => refunds.some(isMoving),
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

function useColumns(slug: string): Column<Refund>[] {
	const words = useRefundTexts();
	const format = useFormat();
	const reasonOf = useFailureReason("moneyOut");
	const isOperator = useProfile()?.isPlatformOwner === true;
	const decision: Column<Refund> = {
		...{ head: words.actions, isHeadHidden: true, isNumber: true },
		cell: (refund) => refund.needs_review && <ResolveRefundButton refund={refund} />,
	};
	return [
		{
			head: words.refund,
			cell: ({ reason, method, origin }) => (
				<RowName detail={words.methods[method]}>{origin === "gateway" ? words.atGateway : reason}</RowName>
			),
		},
		{
			head: words.status,
			cell: ({ failure_code: code, ...refund }) => (
				<RowName detail={code && reasonOf(code)}>
					<RefundStatus {...refund} />
				</RowName>
			),
		},
		{ head: words.created, cell: ({ created_at }) => format.time(created_at) },
		{
			head: words.of,
			cell: ({ receipt_id: id }) => (
				<Link to="/$slug/receipts/$id" params={{ slug, id }} className={buttonLook("quiet")}>
					{words.openReceipt}
				</Link>
			),
		},
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
		...(isOperator ? [decision] : []),
	];
}

const looks: Partial<Record<Refund["status"], "done" | "warning" | "error">> = {
	unknown: "warning",
	needs_attention: "warning",
	failed: "error",
	processed: "done",
};

function RefundStatus({ status, needs_review }: Pick<Refund, "status" | "needs_review">) {
	const words = useRefundTexts();
	return needs_review ? (
		<Badge kind="warning">{words.review}</Badge>
	) : (
		<Badge kind={looks[status] ?? "plain"}>{words.statuses[status]}</Badge>
	);
}
