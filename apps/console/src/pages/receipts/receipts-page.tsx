import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { FilterSelect, Filters } from "../../lists/filters.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import type { ServiceScope } from "../access/access.queries.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { usePayingTexts } from "../payments/texts.ts";
import { type Receipt, receiptStates, receiptsAddress, receiptsKey } from "./receipt.queries.ts";
import { ReceiptState } from "./receipt-state.tsx";
import { useReceiptTexts } from "./texts.ts";

const route = getRouteApi("/$slug/receipts");

/** `/{slug}/receipts`: what gateways say was paid, the newest first. The filter is in the address. */
export function ReceiptsPage() {
	const { slug } = route.useParams();
	const words = useReceiptTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.receipts.view">
			{(scope) => (
				<Page title={words.title} lead={words.lead}>
					<Receipts scope={scope} />
				</Page>
			)}
		</ServiceGate>
	);
}

function Receipts({ scope }: { scope: ServiceScope }) {
	const { slug } = scope;
	const { state } = route.useSearch();
	const navigate = useNavigate();
	const words = useReceiptTexts();
	const list = usePagedList<Receipt>({
		key: [...receiptsKey(scope), "list"],
		address: receiptsAddress(usePlatform(), scope),
		query: { state },
		outlet: "none",
	});
	return (
		<>
			<Filters>
				<FilterSelect
					label={words.state}
					value={state ?? ""}
					options={[
						{ value: "", label: words.any },
						...receiptStates.map((value) => ({ value, label: words.states[value] })),
					]}
					onChange={(value) =>
						void navigate({
							...{ to: "/$slug/receipts", params: { slug }, replace: true },
							search: value === "" ? {} : { state: value },
						})
					}
				/>
			</Filters>
			<PagedList
				list={list}
				isMain={state === undefined}
				caption={words.title}
				columns={useColumns(slug)}
				keyOf={({ id }) => id}
				empty={state === undefined ? words.none : words.noneFound}
			/>
		</>
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
		{ head: words.state, cell: ({ state }) => <ReceiptState state={state} /> },
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
