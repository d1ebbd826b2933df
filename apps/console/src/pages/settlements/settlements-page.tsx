import { buttonLook, type Column, RowName, TextField } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FormButton } from "../../dialogs/form-button.tsx";
import { checkDays, readDays } from "../../forms/day-range.ts";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import {
	fetchSettlements,
	type Settlement,
	settlementStates,
	settlementsAddress,
	settlementsKey,
} from "./settlement.queries.ts";
import { SettlementState } from "./settlement-state.tsx";
import { useSettlementTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/settlements");

/** `/{slug}/platform/settlements`: what the card gateway pays out to the platform. */
export function SettlementsPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <Settlements />;
}

function Settlements() {
	const { slug } = route.useParams();
	const words = useSettlementTexts();
	const list = usePagedList<Settlement>({
		key: [...settlementsKey, "list"],
		address: settlementsAddress(usePlatform()),
		fields: [choiceOf("state", words.state, [settlementStates, words.states])],
		outlet: "none",
	});
	return (
		<Page title={words.title} lead={words.lead} actions={<FetchButton />}>
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns(slug)}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

function FetchButton() {
	const platform = usePlatform();
	const timeZone = useZone();
	const words = useSettlementTexts().fetch;
	return (
		<FormButton
			{...{ label: words.label, lead: words.lead, confirm: words.confirm, busyText: words.busy }}
			check={(entered) => checkDays(entered, words)}
			fieldMessages={{ to: words.tooLong }}
			action={(entered) => fetchSettlements(platform, readDays(entered, timeZone))}
			invalidates={settlementsKey}
			done={words.done}
		>
			{(field) => (
				<>
					<TextField {...field("from")} type="date" label={words.from} />
					<TextField {...field("to")} type="date" label={words.to} />
				</>
			)}
		</FormButton>
	);
}

function useColumns(slug: string): Column<Settlement>[] {
	const words = useSettlementTexts();
	const format = useFormat();
	return [
		{
			head: words.settlement,
			cell: ({ id, gateway_id, settled_at, settles_to }) => (
				<RowName detail={words.destinations[settles_to]}>
					<Link
						to="/$slug/platform/settlements/$id"
						params={{ slug, id }}
						className={buttonLook("quiet")}
						aria-label={words.open(gateway_id, format.day(settled_at))}
					>
						{gateway_id}
					</Link>
				</RowName>
			),
		},
		{ head: words.state, cell: (settlement) => <SettlementState {...settlement} /> },
		{ head: words.settledAt, cell: ({ settled_at }) => format.day(settled_at) },
		{
			head: words.charges,
			isNumber: true,
			cell: ({ matched, lines }) => words.matchedOf(format.number(matched), format.number(lines)),
		},
		{
			head: words.expected,
			isNumber: true,
			cell: ({ expected_minor, currency }) => format.money(expected_minor, currency),
		},
		{
			head: words.arrives,
			isNumber: true,
			cell: ({ effective_minor, currency }) => format.money(effective_minor, currency),
		},
	];
}
