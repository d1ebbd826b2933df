import type { Page as ListPage } from "@lango/client";
import { buttonLook, type Column, Notice, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { isLive } from "../payments/attempt-list.tsx";
import { IntentStatusBadge, isOpen } from "../payments/intent-status.tsx";
import { type Bill, billsAddress, billsKey } from "../subscribe/payment/bill.queries.ts";

import { BillingMethodSection } from "./billing-method.tsx";
import { useBillTexts } from "./texts.ts";
import { useBillName } from "./use-bill-name.ts";

const route = getRouteApi("/$slug/bills");

/** `/{slug}/bills`: what the organisation owes to Lango, its credit, and how renewals are paid. */
export function BillsPage() {
	const { slug } = route.useParams();
	const words = useBillTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.billing.view" needsNoProduct>
			{(_scope, granted) => (
				<Page title={words.title} lead={words.lead}>
					<BillList slug={slug} />
					<BillingMethodSection slug={slug} mayChange={isGranted(granted, "treasury.billing.manage")} />
				</Page>
			)}
		</ServiceGate>
	);
}

/** `unapplied`: what was paid and no bill has used. */
type Bills = ListPage<Bill> & { unapplied: ReadonlyArray<{ currency: string; amount_minor: number }> };

function BillList({ slug }: { slug: string }) {
	const words = useBillTexts();
	const list = usePagedList<Bill, Bills>({
		key: [...billsKey(slug), "list"],
		address: billsAddress(usePlatform(), slug),
		outlet: "none",
		isChanging: (bills) => bills.some(isOpen),
	});
	return (
		<>
			<Credit unapplied={list.query.data?.unapplied ?? []} />
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns(slug)}
				keyOf={({ operation_id }) => operation_id}
				empty={words.none}
			/>
		</>
	);
}

function Credit({ unapplied }: Pick<Bills, "unapplied">) {
	const words = useBillTexts();
	const format = useFormat();
	return unapplied.map(({ currency, amount_minor }) => (
		<div key={currency} className="mb-4">
			<Notice kind="plain">{words.credit(format.money(amount_minor, currency))}</Notice>
		</div>
	));
}

/** Why the last attempt to pay a bill failed; undefined of one that is paid, or may still be. */
function useReasonOf(): (bill: Bill) => string | undefined {
	const reasonOf = useFailureReason("payment");
	return ({ status, attempts }) => {
		const last = attempts.at(-1);
		if (last === undefined || status === "succeeded" || isLive(last) || last.status === "succeeded")
			return undefined;
		return reasonOf(last.failure_code ?? (last.status === "expired" ? "expired" : "failed"));
	};
}

function useColumns(slug: string): Column<Bill>[] {
	const words = useBillTexts();
	const nameOf = useBillName();
	const format = useFormat();
	const reasonOf = useReasonOf();
	return [
		{
			head: words.what,
			cell: (bill) => (
				<Link
					to="/$slug/bills/$operation"
					params={{ slug, operation: bill.operation_id }}
					className={buttonLook("quiet")}
					aria-label={words.open(nameOf(bill), format.time(bill.created_at))}
				>
					{nameOf(bill)}
				</Link>
			),
		},
		{
			...{ head: words.status, isLong: true },
			cell: (bill) => (
				<RowName detail={reasonOf(bill)}>
					<IntentStatusBadge status={bill.status} />
				</RowName>
			),
		},
		{ head: words.issued, cell: ({ created_at }) => format.day(created_at) },
		{
			head: words.due,
			cell: (bill) => (isOpen(bill) ? format.time(bill.expires_at) : "–"),
		},
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
	];
}
