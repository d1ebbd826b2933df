import { useProfile } from "@lango/client/react";
import { type Column, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { namesOfQuery } from "../audit/names.queries.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { JournalLines } from "../journals/journal-lines.tsx";
import { JournalsLink } from "../journals/journals-link.tsx";
import { useJournalTexts } from "../journals/texts.ts";
import {
	type Adjustment,
	adjustmentStates,
	adjustmentsAddress,
	adjustmentsKey,
	booksKey,
	decideAdjustment,
} from "./adjustment.queries.ts";
import { RequestAdjustmentButton } from "./request-adjustment-button.tsx";
import { useAdjustmentTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/adjustments");

/** `/{slug}/platform/adjustments`: corrections of the books, which two persons decide. */
export function AdjustmentsPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <Adjustments />;
}

function Adjustments() {
	const { slug } = route.useParams();
	const words = useAdjustmentTexts();
	const list = usePagedList<Adjustment>({
		key: adjustmentsKey,
		address: adjustmentsAddress(usePlatform()),
		fields: [
			choiceOf("state", words.state, [adjustmentStates, words.states]),
			{ kind: "text", name: "exception_id", label: words.exception, isHidden: true },
		],
		outlet: "none",
	});
	const nameOf = useNames(slug, list.query.data?.items ?? []);
	return (
		<Page title={words.title} lead={words.lead} actions={<RequestAdjustmentButton />}>
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns(nameOf)}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

/** Names the persons of the platform owner by their ids. */
function useNames(slug: string, adjustments: readonly Adjustment[]): (id: string) => string {
	const words = useAdjustmentTexts();
	const userId = useProfile()?.userId;
	const ids = adjustments.map(({ created_by }) => created_by);
	const names = useQuery({ ...namesOfQuery(usePlatform(), slug, ids), retry: false }).data;
	return (id) => (id === userId ? words.you : (names?.get(id) ?? id));
}

const looks = { waiting: "warning", posted: "done", rejected: "plain" } as const;

function useColumns(nameOf: (id: string) => string): Column<Adjustment>[] {
	const words = useAdjustmentTexts();
	const format = useFormat();
	return [
		{
			head: words.adjustment,
			isLong: true,
			cell: ({ purpose, because }) => <RowName detail={because}>{words.purposes[purpose]}</RowName>,
		},
		{ head: words.state, cell: ({ state }) => <Badge kind={looks[state]}>{words.states[state]}</Badge> },
		{ head: words.lines, isLong: true, cell: (adjustment) => <JournalLines {...adjustment} /> },
		{ head: words.by, cell: ({ created_by }) => nameOf(created_by) },
		{ head: words.at, cell: ({ created_at }) => format.time(created_at) },
		{
			...{ head: words.actions, isHeadHidden: true, isNumber: true },
			cell: (adjustment) => <Decide adjustment={adjustment} />,
		},
	];
}

/** The amount of an adjustment, and each line with its account. */
function useDescription({ lines, currency }: Adjustment) {
	const { owners } = useAdjustmentTexts();
	const { sides } = useJournalTexts();
	const format = useFormat();
	const sum = lines.reduce((all, { side, amount_minor }) => all + (side === "debit" ? amount_minor : 0), 0);
	const described = lines.map(({ side, owner, code, amount_minor }) =>
		[sides[side], owners[owner], code, format.money(amount_minor, currency)].join(" "),
	);
	return { sum: format.money(sum, currency), lines: described.join(", ") };
}

/** What may be decided: it is approved by another person than the one who asked; that one may withdraw it. */
function Decide({ adjustment }: { adjustment: Adjustment }) {
	const { id, state, purpose, created_by } = adjustment;
	const platform = usePlatform();
	const words = useAdjustmentTexts();
	const { sum, lines } = useDescription(adjustment);
	const isOwn = created_by === useProfile()?.userId;
	// A charge that is counted is posted with its receipt.
	if (state === "posted" && purpose !== "suspense")
		return <JournalsLink source={{ source_type: "adjustment", source_id: id }} />;
	if (state !== "waiting") return null;
	return (
		<div className="flex flex-wrap justify-end gap-3">
			{(isOwn ? (["reject"] as const) : (["approve", "reject"] as const)).map((decision) => (
				<ConfirmButton
					key={decision}
					kind={decision === "approve" ? "action" : "plain"}
					texts={{
						...words[decision],
						title: words[decision].title(words.purposes[purpose], sum),
						text: words[decision].text(lines),
					}}
					isDestructive={decision !== "approve"}
					name={words.purposes[purpose]}
					action={() => decideAdjustment(platform, id, decision)}
					invalidates={booksKey}
					messages={words.errors}
				/>
			))}
		</div>
	);
}
