import { type Column, DataTable, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Page } from "../../layout/page.tsx";
import { useListFilters } from "../../lists/list-address.ts";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { useStatementTexts } from "../statement/texts.ts";
import { type Journal, journalsQuery } from "./journal.queries.ts";
import { JournalLines } from "./journal-lines.tsx";
import { useJournalTexts } from "./texts.ts";

/** `/{slug}/platform/journals`: what is in the books for the payment or settlement of its address. */
export function JournalsPage() {
	const { source_type: type, source_id: id } = useListFilters("", ["source_type", "source_id"]).filter;
	const { treasury } = usePlatform().settings.services;
	if (treasury === undefined || type === undefined || id === undefined) return <NotFoundPage />;
	return <Journals type={type} id={id} />;
}

function Journals({ type, id }: { type: string; id: string }) {
	const words = useJournalTexts();
	const found = useQuery(journalsQuery(usePlatform(), { source_type: type, source_id: id }));
	const columns = useColumns();
	return (
		<Page title={words.title} lead={words.lead(wordFor(words.sources, type), id)}>
			<Loaded query={found} isMain>
				{({ items }) => (
					<DataTable
						caption={words.title}
						columns={columns}
						rows={items}
						keyOf={(journal) => journal.id}
						empty={words.none}
					/>
				)}
			</Loaded>
		</Page>
	);
}

function useColumns(): Column<Journal>[] {
	const words = useJournalTexts();
	const { purposes } = useStatementTexts();
	const format = useFormat();
	return [
		{
			head: words.journal,
			cell: ({ id, purpose }) => (
				<RowName detail={words.number(id)}>{wordFor({ ...purposes, ...words.purposes }, purpose)}</RowName>
			),
		},
		{
			head: words.lines,
			isLong: true,
			cell: ({ lines }) => <JournalLines lines={lines} currency={lines[0]?.currency ?? "KES"} />,
		},
		{ head: words.moved, cell: ({ effective_at }) => format.time(effective_at) },
		{ head: words.posted, cell: ({ posted_at }) => format.time(posted_at) },
	];
}
