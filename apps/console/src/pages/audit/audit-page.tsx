import { Button, type Column, Notice, RowName } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Page } from "../../layout/page.tsx";
import { PagedList } from "../../lists/paged-list.tsx";
import { useFormat } from "../../tenant/use-format.ts";
import { AuditDetails } from "./audit-details.tsx";
import type { AuditRow } from "./audit-row.ts";
import { ExportButtons } from "./export-buttons.tsx";
import { useAuditPageTexts } from "./texts.ts";
import { useNameAction, useNameActor, useNameSource } from "./use-names.ts";
import { useTimeline } from "./use-timeline.ts";

const route = getRouteApi("/$slug/audit");

/** `/{slug}/audit`: the audit logs of the organisation and its services as one list, with filters. */
export function AuditPage() {
	const { slug } = route.useParams();
	const words = useAuditPageTexts();
	const format = useFormat();
	const nameSource = useNameSource();
	const [opened, setOpened] = useState<AuditRow>();
	const { list, sources, query, missing } = useTimeline(slug);
	const columns = useColumns({
		onOpen: setOpened,
		onActor: (actor) => list.filters.set("actor", actor),
	});
	return (
		<Page title={words.title} lead={words.lead(format.zoneName)}>
			{missing.length > 0 && (
				<Notice kind="warning">{words.isMissing(missing.map(nameSource).join(", "))}</Notice>
			)}
			<PagedList
				isMain
				list={list}
				caption={words.title}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
			<ExportButtons slug={slug} sources={sources} query={query} />
			{opened !== undefined && <AuditDetails slug={slug} row={opened} onClose={() => setOpened(undefined)} />}
		</Page>
	);
}

type Ways = { onOpen: (row: AuditRow) => void; onActor: (actor: string) => void };

function useColumns({ onOpen, onActor }: Ways): Column<AuditRow>[] {
	const words = useAuditPageTexts();
	const nameActor = useNameActor();
	const nameAction = useNameAction();
	const nameSource = useNameSource();
	const format = useFormat();
	return [
		{
			head: words.what,
			cell: ({ action, subject, visit }) => (
				<RowName detail={visit === undefined ? subject : words.requests(visit.requests)}>
					{nameAction(action)}
				</RowName>
			),
		},
		{
			head: words.who,
			cell: (row) =>
				row.actorId === null ? (
					nameActor(row)
				) : (
					<ActorButton actor={row.actorId} name={nameActor(row)} onActor={onActor} />
				),
		},
		{ head: words.at, cell: ({ at }) => format.time(at) },
		{ head: words.source, cell: ({ source }) => nameSource(source) },
		{ head: words.address, cell: ({ ip }) => ip ?? words.nothing },
		{
			head: words.detailsColumn,
			isHeadHidden: true,
			isNumber: true,
			cell: (row) => (
				<Button
					kind="quiet"
					aria-haspopup="dialog"
					aria-label={words.detailsOf(nameAction(row.action), format.time(row.at))}
					onClick={() => onOpen(row)}
				>
					{words.details}
				</Button>
			),
		},
	];
}

type ActorButton = { actor: string; name: string; onActor: Ways["onActor"] };

/** The actor. A click filters the log by them. */
function ActorButton({ actor, name, onActor }: ActorButton) {
	const words = useAuditPageTexts();
	return (
		<button
			type="button"
			aria-label={words.onlyOf(name)}
			onClick={() => onActor(actor)}
			className="min-h-11 text-start hover:underline hover:underline-offset-4"
		>
			{name}
		</button>
	);
}
