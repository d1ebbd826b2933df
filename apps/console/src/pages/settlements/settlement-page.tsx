import { buttonLook, type Column, Notice, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { JournalsLink } from "../journals/journals-link.tsx";
import { useTenantOf } from "../tenants/use-tenant-of.ts";
import {
	linesAddress,
	type Settlement,
	type SettlementLine,
	settlementQuery,
	settlementsKey,
} from "./settlement.queries.ts";
import { SettlementState } from "./settlement-state.tsx";
import { useSettlementTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/settlements/$id");

/**
 * `/{slug}/platform/settlements/{id}`: what arrives beside what was expected, and each charge beside its
 * receipt.
 */
export function SettlementPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <StoredSettlement />;
}

function StoredSettlement() {
	const { slug, id } = route.useParams();
	const words = useSettlementTexts();
	const found = useQuery(settlementQuery(usePlatform(), id));
	return (
		<Loaded query={found} isMain>
			{(settlement) => (
				<>
					<BackLink to="/$slug/platform/settlements" params={{ slug }}>
						{words.title}
					</BackLink>
					<Page
						title={settlement.gateway_id}
						actions={<JournalsLink source={{ source_type: "settlement", source_id: id }} />}
					>
						<div className="mb-6">
							<Notice kind={settlement.state === "matched" ? "done" : "plain"}>
								{words.says[settlement.state]}
							</Notice>
						</div>
						<Facts settlement={settlement} />
						<Lines id={id} />
					</Page>
				</>
			)}
		</Loaded>
	);
}

function Facts({ settlement }: { settlement: Settlement }) {
	const words = useSettlementTexts();
	const format = useFormat();
	const money = (minor: number | null) => (minor === null ? "–" : format.money(minor, settlement.currency));
	const { effective_minor: arrives, expected_minor: expected } = settlement;
	return (
		<Details>
			<Detail label={words.arrives}>{money(arrives)}</Detail>
			<Detail label={words.expected}>{money(expected)}</Detail>
			<Detail label={words.difference}>{money(arrives - expected)}</Detail>
			<Detail label={words.fees}>{money(settlement.fees_minor)}</Detail>
			<Detail label={words.deductions}>{money(settlement.deductions_minor)}</Detail>
			<Detail label={words.settlesTo}>{words.destinations[settlement.settles_to]}</Detail>
			<Detail label={words.settledAt}>{format.day(settlement.settled_at)}</Detail>
			<Detail label={words.state}>
				<SettlementState {...settlement} />
			</Detail>
			<Detail label={words.gatewayStatus}>{settlement.gateway_status}</Detail>
		</Details>
	);
}

function Lines({ id }: { id: string }) {
	const words = useSettlementTexts();
	const list = usePagedList<SettlementLine>({
		key: [...settlementsKey, "lines", id],
		address: linesAddress(usePlatform(), id),
		outlet: "none",
	});
	return (
		<Section title={words.charges}>
			<PagedList
				list={list}
				caption={words.charges}
				columns={useColumns()}
				keyOf={(line) => line.id}
				empty={words.noLines}
			/>
		</Section>
	);
}

function useColumns(): Column<SettlementLine>[] {
	const words = useSettlementTexts();
	const format = useFormat();
	const money = (minor: number | null, currency: string) =>
		minor === null ? "–" : format.money(minor, currency);
	return [
		{
			head: words.line,
			cell: ({ transaction, reference }) => <RowName detail={reference}>{transaction}</RowName>,
		},
		{ head: words.lineState, cell: ({ state }) => wordFor(words.lineStates, state) },
		{ head: words.paidAt, cell: ({ paid_at }) => (paid_at === null ? "–" : format.time(paid_at)) },
		{
			head: words.ours,
			cell: ({ receipt, currency }) =>
				receipt === null ? (
					words.notHere
				) : (
					<RowName detail={<ReceiptLink receipt={receipt} />}>
						{words.amountAndFee(money(receipt.amount_minor, currency), money(receipt.fee_minor, currency))}
					</RowName>
				),
		},
		{ head: words.fee, isNumber: true, cell: ({ fee_minor, currency }) => money(fee_minor, currency) },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => money(amount_minor, currency),
		},
	];
}

/** A link to the receipt at its organisation, once that is known. */
function ReceiptLink({ receipt: { id, tenant_id } }: { receipt: NonNullable<SettlementLine["receipt"]> }) {
	const words = useSettlementTexts();
	const { slug } = useTenantOf(tenant_id);
	if (slug === undefined) return null;
	return (
		<Link to="/$slug/receipts/$id" params={{ slug, id }} className={buttonLook("quiet")}>
			{words.openReceipt}
		</Link>
	);
}
