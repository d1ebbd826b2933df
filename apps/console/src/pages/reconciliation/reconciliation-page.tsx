import { type Column, SelectField, TextField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { checkDays, readDays, withinLastDay } from "../../forms/day-range.ts";
import { textOf } from "../../forms/form-data.ts";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { ImportButton } from "./import-button.tsx";
import { type Run, runKinds, runsAddress, runsKey, startRun } from "./run.queries.ts";
import { useReconciliationTexts } from "./texts.ts";

/** `/{slug}/platform/reconciliation`: comparisons of gateways and statements with the books. */
export function ReconciliationPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <Runs />;
}

const isWaiting = ({ state }: Run) => state === "waiting";

function Runs() {
	const words = useReconciliationTexts();
	const list = usePagedList<Run>({
		key: [...runsKey, "runs"],
		address: runsAddress(usePlatform()),
		outlet: "none",
		isChanging: (runs) => runs.some(isWaiting),
	});
	return (
		<Page
			title={words.title}
			lead={words.lead}
			actions={
				<>
					<ImportButton />
					<CompareButton />
				</>
			}
		>
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns()}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

function CompareButton() {
	const platform = usePlatform();
	const timeZone = useZone();
	const { compare: words, kinds, kind } = useReconciliationTexts();
	return (
		<FormButton
			{...{ label: words.label, lead: words.lead, confirm: words.confirm, busyText: words.busy }}
			check={(entered) => checkDays(entered, words)}
			fieldMessages={{ to: words.tooLong }}
			action={(entered) =>
				startRun(platform, { kind: textOf(entered, "kind"), ...readDays(entered, timeZone) })
			}
			invalidates={runsKey}
			done={words.done}
		>
			{(field) => (
				<>
					<SelectField
						{...field("kind")}
						label={kind}
						options={runKinds.map((value) => ({ value, label: kinds[value] }))}
					/>
					<TextField {...field("from")} type="date" label={words.from} />
					<TextField {...field("to")} type="date" label={words.to} />
				</>
			)}
		</FormButton>
	);
}

const looks = { waiting: "plain", done: "done", failed: "error" } as const;

function useColumns(): Column<Run>[] {
	const words = useReconciliationTexts();
	const format = useFormat();
	return [
		{ head: words.kind, cell: ({ kind }) => words.kinds[kind] },
		{ head: words.days, cell: (run) => `${format.day(run.from)} – ${format.day(withinLastDay(run))}` },
		{ head: words.state, cell: ({ state }) => <Badge kind={looks[state]}>{words.states[state]}</Badge> },
		{
			head: words.found,
			isNumber: true,
			cell: ({ found, failure }) => failure ?? (found === null ? "–" : format.number(found)),
		},
		{ head: words.started, cell: ({ created_at }) => format.time(created_at) },
	];
}
