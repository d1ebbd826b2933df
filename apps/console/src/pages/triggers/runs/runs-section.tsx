import { buttonLook, type Column } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { Badge } from "../../../layout/badge.tsx";
import { Section } from "../../../layout/section.tsx";
import { PagedList, usePagedList } from "../../../lists/paged-list.tsx";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { wordFor } from "../../../texts/texts.ts";
import { useMessageTexts } from "../../messages/state/texts.ts";
import { useTemplateTexts } from "../../templates/draft/texts.ts";
import { useTriggerTexts } from "../state/texts.ts";
import { type Run, replayRun, runsAddress, triggersKey } from "../state/trigger.queries.ts";
import { explainNote, looks, outcomeOf } from "./explain-run.ts";

type RunsSection = { scope: ServiceScope; triggerId: string; mayReplay: boolean };

const soonMs = 60_000;
const isDueSoon = ({ status, due_at }: Run) =>
	status === "waiting" && new Date(due_at).getTime() < Date.now() + soonMs;

/** What a rule did for each event, the newest first. Read again while a run is due. */
export function RunsSection({ scope, triggerId, mayReplay }: RunsSection) {
	const words = useTriggerTexts();
	const list = usePagedList<Run>({
		key: [...triggersKey(scope), "runs", triggerId],
		address: runsAddress(usePlatform(), scope, triggerId),
		outlet: scope.outlet,
		isChanging: (runs) => runs.some(isDueSoon),
	});
	return (
		<Section title={words.runs} lead={words.runsLead}>
			<PagedList
				list={list}
				caption={words.runs}
				columns={useColumns({ scope, triggerId, mayReplay })}
				keyOf={({ id }) => id}
				empty={words.noRuns}
			/>
		</Section>
	);
}

function useColumns({ scope, triggerId, mayReplay }: RunsSection): Column<Run>[] {
	const words = useTriggerTexts();
	const format = useFormat();
	return [
		{ head: words.happened, cell: ({ created_at }) => format.time(created_at) },
		{ head: words.outcome, isLong: true, cell: (run) => <Outcome run={run} /> },
		{ head: words.messages, isLong: true, cell: (run) => <Messages run={run} slug={scope.slug} /> },
		...(mayReplay
			? [
					{
						head: words.actions,
						isHeadHidden: true,
						cell: (run: Run) => run.replayable && <Replay scope={scope} triggerId={triggerId} run={run} />,
					},
				]
			: []),
	];
}

/** How a run ended, and why there is no message on a channel. */
function Outcome({ run }: { run: Run }) {
	const words = useTriggerTexts();
	const { channelNames } = useTemplateTexts();
	const format = useFormat();
	const outcome = outcomeOf(run);
	const isDelayed = outcome === "waiting" && !isDueSoon(run);
	return (
		<>
			<Badge kind={looks[outcome]}>{words.outcomes[outcome]}</Badge>
			{isDelayed && <p className="mt-1 text-quiet">{words.waitsUntil(format.time(run.due_at))}</p>}
			{run.status !== "waiting" &&
				run.notes.map((note) => {
					const text = explainNote(note, { words, channelNames });
					return (
						<p key={text} className="mt-1 text-quiet">
							{text}
						</p>
					);
				})}
			{outcome === "failed" && !run.replayable && <p className="mt-1 text-quiet">{words.noLongerStored}</p>}
		</>
	);
}

/** The first messages of a run, with what became of them. */
function Messages({ run: { messages, first_messages }, slug }: { run: Run; slug: string }) {
	const words = useTriggerTexts();
	const { statuses: states } = useMessageTexts();
	const { channelNames } = useTemplateTexts();
	const format = useFormat();
	const more = messages - first_messages.length;
	if (messages === 0) return "–";
	return (
		<>
			{first_messages.map(({ id, channel, statuses }) => (
				<span key={id} className="block">
					<Link
						to="/$slug/messages/$messageId"
						params={{ slug, messageId: id }}
						className={buttonLook("quiet")}
					>
						{channelNames[channel]}
					</Link>
					{statuses.length > 0 && (
						<span className="ml-2 text-quiet">
							{statuses.map((status) => wordFor(states, status)).join(", ")}
						</span>
					)}
				</span>
			))}
			{more > 0 && <span className="block text-quiet">{words.moreMessages(format.number(more))}</span>}
		</>
	);
}

function Replay({ scope, triggerId, run }: { scope: ServiceScope; triggerId: string; run: Run }) {
	const platform = usePlatform();
	const words = useTriggerTexts();
	const format = useFormat();
	return (
		<ConfirmButton
			texts={words.replay}
			name={format.time(run.created_at)}
			action={() => replayRun(platform, { scope, id: triggerId }, run.event_id)}
			invalidates={triggersKey(scope)}
			messages={words.errors}
		/>
	);
}
