import { type Column, Notice, RowName } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { FilterBar } from "../../lists/filter-bar.tsx";
import { useListFilters } from "../../lists/list-address.ts";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { dayAt } from "../../tenant/day-in-zone.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { BalanceSections } from "./balances.tsx";
import { DownloadButton } from "./download-button.tsx";
import { nameAccount } from "./name-account.ts";
import { nameMovement } from "./name-movement.ts";
import { type Statement, type StatementLine, statementAddress } from "./statement.queries.ts";
import { completeDays, faultOfDays } from "./statement-days.ts";
import { useStatementTexts } from "./texts.ts";

const route = getRouteApi("/$slug/statement");
const defaultAccount = "platform_custody";

/** `/{slug}/statement`: balances, and the movements of an account. The filters are in the address. */
export function StatementPage() {
	const { slug } = route.useParams();
	const words = useStatementTexts();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.statements.view">
			{(scope) => (
				<Page title={words.title} lead={words.lead}>
					<BalanceSections scope={scope} />
					<Movements scope={scope} />
				</Page>
			)}
		</ServiceGate>
	);
}

/** What a statement is asked for. */
type Wanted = { account: string; from: string; to: string };

function Movements({ scope }: { scope: ServiceScope }) {
	const words = useStatementTexts();
	const { account = defaultAccount } = useListFilters("", ["account"]).filter;
	const filters = useListFilters("", ["from", "to"]);
	const { from = "", to = "" } = filters.filter;
	const days = completeDays({ from, to }, dayAt(new Date(), useZone()));
	const fault = faultOfDays(days);
	return (
		<Section title={words.lines}>
			<FilterBar
				filters={{ ...filters, filter: { account, ...days } }}
				fields={[
					{
						...{ kind: "select", name: "account", label: words.account, fallback: defaultAccount },
						options: Object.entries(words.accounts),
					},
					{ kind: "day", name: "from", label: words.from },
					{ kind: "day", name: "to", label: words.to },
				]}
			/>
			{fault === undefined ? (
				<Lines scope={scope} wanted={{ account, ...days }} />
			) : (
				<Notice kind="error">{words[fault]}</Notice>
			)}
		</Section>
	);
}

function Lines({ scope, wanted }: { scope: ServiceScope; wanted: Wanted }) {
	const words = useStatementTexts();
	const format = useFormat();
	const address = statementAddress(usePlatform(), scope);
	const list = usePagedList<StatementLine, Statement>({
		...{ key: ["treasury", scope.slug, "statement"], address, query: wanted, outlet: "none" },
		hasTotal: false,
	});
	const { data } = list.query;
	const nameOf = (ending: string) => `statement-${scope.slug}-${wanted.from}-${wanted.to}.${ending}`;
	return (
		<>
			<div className="mb-5 flex flex-wrap gap-3">
				{(["csv", "pdf"] as const).map((ending) => (
					<DownloadButton
						key={`${ending} ${JSON.stringify(wanted)}`}
						label={words[ending]}
						address={`${address}.${ending}`}
						query={wanted}
						fileName={nameOf(ending)}
					/>
				))}
			</div>
			{data !== undefined && (
				<p className="mb-3">
					{words.opening(
						format.day(`${data.from}T12:00:00Z`),
						format.money(data.opening_minor, data.currency),
					)}
				</p>
			)}
			<PagedList
				list={list}
				caption={words.lines}
				columns={useColumns(data?.currency ?? "KES")}
				keyOf={({ journal_id, line }) => `${journal_id} ${line}`}
				empty={words.noLines}
			/>
		</>
	);
}

function useColumns(currency: string): Column<StatementLine>[] {
	const words = useStatementTexts();
	const format = useFormat();
	return [
		{
			head: words.purpose,
			cell: ({ purpose, receipt, account }) => (
				<RowName detail={[nameAccount(account, words), receipt].filter(Boolean).join(" · ")}>
					{nameMovement({ purpose, account }, words)}
				</RowName>
			),
		},
		{ head: words.at, cell: ({ effective_at }) => format.time(effective_at) },
		{ head: words.amount, isNumber: true, cell: (one) => format.money(one.amount_minor, currency) },
		{ head: words.balance, isNumber: true, cell: (one) => format.money(one.balance_minor, currency) },
	];
}
