import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { usePayingTexts } from "../payments/texts.ts";
import { AskAboutReceipt } from "./ask-about-receipt.tsx";
import {
	type Receipt,
	receiptKinds,
	receiptStates,
	receiptsAddress,
	receiptsKey,
} from "./receipt.queries.ts";
import { ReceiptState } from "./receipt-state.tsx";
import { ReverseButton } from "./reverse-button.tsx";
import { useReceiptTexts } from "./texts.ts";

const route = getRouteApi("/$slug/receipts");

/**
 * `/{slug}/receipts`: what gateways say was paid, paid out and returned, the newest first. The filter is in
 * the address. Below it the gateway is asked about a receipt that is not in the list.
 */
export function ReceiptsPage() {
	const { slug } = route.useParams();
	const words = useReceiptTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.receipts.view" isAlsoForPlatform>
			{(scope, granted) => (
				<Page
					title={words.title}
					lead={words.lead}
					actions={isGranted(granted, "treasury.refunds.manage") && <ReverseButton scope={scope} />}
				>
					<Receipts scope={scope} />
					{mayAsk(granted) && <AskAboutReceipt scope={scope} />}
				</Page>
			)}
		</ServiceGate>
	);
}

/** Whether the user may ask the gateway about a transaction, and read its answer. */
const mayAsk = (granted: ReadonlySet<string>): boolean =>
	isGranted(granted, "treasury.payments.manage") && isGranted(granted, "treasury.statements.view");

function Receipts({ scope }: { scope: ServiceScope }) {
	const { slug } = scope;
	const words = useReceiptTexts();
	const platform = usePlatform();
	const list = usePagedList<Receipt>({
		key: [...receiptsKey(scope), "list"],
		address: receiptsAddress(platform, scope),
		...wholeOf(platform, slug),
		fields: [
			choiceOf("kind", words.kind, [receiptKinds, words.kinds]),
			choiceOf("state", words.state, [receiptStates, words.states]),
		],
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

function useColumns(slug: string): Column<Receipt>[] {
	const words = useReceiptTexts();
	const paying = usePayingTexts();
	const format = useFormat();
	return [
		{
			head: words.receipt,
			cell: ({ id, receipt, channel, payer_masked, occurred_at }) => (
				<RowName detail={payer_masked ?? undefined}>
					<Link
						to="/$slug/receipts/$id"
						params={{ slug, id }}
						className={buttonLook("quiet")}
						aria-label={words.open(receipt ?? wordFor(paying.channels, channel), format.time(occurred_at))}
					>
						{receipt ?? wordFor(paying.channels, channel)}
					</Link>
				</RowName>
			),
		},
		{ head: words.kind, cell: ({ kind }) => words.kinds[kind] },
		{ head: words.state, cell: (receipt) => <ReceiptState receipt={receipt} /> },
		{ head: words.paidAt, cell: ({ occurred_at }) => format.time(occurred_at) },
		{ head: words.account, cell: ({ account_ref }) => account_ref ?? "–" },
		{
			head: words.unallocated,
			isNumber: true,
			cell: ({ unallocated_minor, currency }) => format.money(unallocated_minor, currency),
		},
		{
			head: paying.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
	];
}
