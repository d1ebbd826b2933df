import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { MakePageButton } from "./make-page-button.tsx";
import { type PaymentPage, paymentPagesAddress, paymentPagesKey } from "./payment-page.queries.ts";
import { QrButton } from "./qr-button.tsx";
import { usePaymentPageTexts } from "./texts.ts";

const route = getRouteApi("/$slug/payment-pages");

/** `/{slug}/payment-pages`: the pages of the card gateway where anybody pays the organisation. */
export function PaymentPagesPage() {
	const { slug } = route.useParams();
	const words = usePaymentPageTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.payment_pages.view">
			{(scope, granted) => (
				<Page
					title={words.title}
					lead={words.lead}
					actions={isGranted(granted, "treasury.payment_pages.add") && <MakePageButton scope={scope} />}
				>
					<Pages scope={scope} />
				</Page>
			)}
		</ServiceGate>
	);
}

function Pages({ scope }: { scope: ServiceScope }) {
	const words = usePaymentPageTexts();
	const list = usePagedList<PaymentPage>({
		key: [...paymentPagesKey(scope), "list"],
		address: paymentPagesAddress(usePlatform(), scope),
		outlet: "none",
	});
	return (
		<PagedList
			list={list}
			isMain
			caption={words.title}
			columns={useColumns()}
			keyOf={({ id }) => id}
			empty={words.none}
		/>
	);
}

function useColumns(): Column<PaymentPage>[] {
	const words = usePaymentPageTexts();
	const format = useFormat();
	return [
		{
			head: words.page,
			cell: ({ name, description }) => <RowName detail={description}>{name}</RowName>,
		},
		{
			head: words.link,
			cell: ({ name, link, status }) =>
				link === null ? (
					<Badge kind={status === "failed" ? "error" : "plain"}>{words.statuses[status]}</Badge>
				) : (
					<span className="flex flex-wrap items-center gap-x-4">
						<a href={link} target="_blank" rel="noreferrer" className={`${buttonLook("quiet")} break-all`}>
							{link}
						</a>
						<QrButton name={name} link={link} />
					</span>
				),
		},
		{ head: words.made, cell: ({ created_at }) => format.day(created_at) },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) =>
				amount_minor === null ? words.payerChooses : format.money(amount_minor, currency),
		},
	];
}
