import { Notice } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { AttemptList } from "../payments/attempt-list.tsx";
import { IntentStatusBadge, isOpen } from "../payments/intent-status.tsx";
import { type Bill, billQuery } from "../subscribe/payment/bill.queries.ts";
import { PayBill } from "../subscribe/payment/pay-bill.tsx";
import { useBillTexts } from "./texts.ts";
import { useBillName } from "./use-bill-name.ts";

const route = getRouteApi("/$slug/bills/$operation");

/** `/{slug}/bills/{operation}`: a bill, paying it, and the attempts to pay it. */
export function BillPage() {
	const { slug, operation } = route.useParams();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.billing.view" needsNoProduct>
			{(_scope, granted) => (
				<StoredBill
					slug={slug}
					operationId={operation}
					mayPay={isGranted(granted, "treasury.billing.manage")}
				/>
			)}
		</ServiceGate>
	);
}

type Props = { slug: string; operationId: string; mayPay: boolean };

function StoredBill({ slug, operationId, mayPay }: Props) {
	const words = useBillTexts();
	const nameOf = useBillName();
	const found = useQuery(billQuery(usePlatform(), slug, operationId));
	return (
		<Loaded query={found} isMain>
			{(bill) =>
				bill === null ? (
					<NotFoundPage />
				) : (
					<>
						<BackLink to="/$slug/bills" params={{ slug }}>
							{words.title}
						</BackLink>
						<Page title={nameOf(bill)}>
							<Facts bill={bill} />
							<Paying bill={bill} slug={slug} mayPay={mayPay} />
							<AttemptList attempts={bill.attempts} currency={bill.currency} />
						</Page>
					</>
				)
			}
		</Loaded>
	);
}

function Facts({ bill }: { bill: Bill }) {
	const words = useBillTexts();
	const format = useFormat();
	const { status, amount_minor, received_minor, currency, created_at, expires_at } = bill;
	return (
		<Details>
			<Detail label={words.amount}>{format.money(amount_minor, currency)}</Detail>
			<Detail label={words.received}>{format.money(received_minor, currency)}</Detail>
			<Detail label={words.status}>
				<IntentStatusBadge status={status} />
			</Detail>
			<Detail label={words.issued}>{format.time(created_at)}</Detail>
			{isOpen(bill) && <Detail label={words.due}>{format.time(expires_at)}</Detail>}
		</Details>
	);
}

function Paying({ bill, slug, mayPay }: { bill: Bill; slug: string; mayPay: boolean }) {
	const words = useBillTexts();
	if (!isOpen(bill))
		return (
			<div className="mt-6">
				<Notice kind={bill.status === "succeeded" ? "done" : "plain"}>
					{bill.status === "succeeded" ? words.isPaid : words.isClosed}
				</Notice>
			</div>
		);
	return (
		<Section title={words.pay}>
			{mayPay ? <PayBill slug={slug} operationId={bill.operation_id} /> : <p>{words.mayNotPay}</p>}
		</Section>
	);
}
