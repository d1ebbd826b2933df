import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { IntentStatusBadge } from "../payments/intent-status.tsx";
import { usePayingTexts } from "../payments/texts.ts";
import { AskForPaymentButton } from "./ask-for-payment-button.tsx";
import { type Intent, intentsAddress, intentsKey } from "./intent.queries.ts";
import { useIntentFilters } from "./intent-filters.ts";
import { useIntentTexts } from "./texts.ts";

const route = getRouteApi("/$slug/payments");

/**
 * `/{slug}/payments`: what the organisation asked to be paid, the newest first. People who only pay see
 * what
 * they pay. The filters are in the address.
 */
export function IntentsPage() {
	const { slug } = route.useParams();
	const words = useIntentTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.payments.view" orOwn>
			{(scope, granted) => (
				<Page
					title={words.title}
					lead={isGranted(granted, "treasury.payments.view") ? words.lead : words.leadOwn}
					actions={isGranted(granted, "treasury.payments.add") && <AskForPaymentButton scope={scope} />}
				>
					<Intents scope={scope} />
				</Page>
			)}
		</ServiceGate>
	);
}

function Intents({ scope }: { scope: ServiceScope }) {
	const { slug } = scope;
	const words = useIntentTexts();
	const list = usePagedList<Intent>({
		key: [...intentsKey(scope), "list"],
		address: intentsAddress(usePlatform(), scope),
		fields: useIntentFilters(),
		outlet: "none",
		isChanging: (intents) => intents.some(({ status }) => status === "processing"),
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

function useColumns(slug: string): Column<Intent>[] {
	const words = useIntentTexts();
	const paying = usePayingTexts();
	const format = useFormat();
	return [
		{
			head: words.payment,
			cell: ({ id, description, order_id, created_at }) => (
				<RowName detail={order_id ?? undefined}>
					<Link
						to="/$slug/payments/$id"
						params={{ slug, id }}
						className={buttonLook("quiet")}
						aria-label={words.open(description, format.time(created_at))}
					>
						{description}
					</Link>
				</RowName>
			),
		},
		{ head: paying.status, cell: ({ status }) => <IntentStatusBadge status={status} /> },
		{ head: words.created, cell: ({ created_at }) => format.time(created_at) },
		{
			head: words.received,
			isNumber: true,
			cell: ({ received_minor, currency }) => format.money(received_minor, currency),
		},
		{
			head: paying.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
	];
}
