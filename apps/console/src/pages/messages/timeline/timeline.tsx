import { Section } from "../../../layout/section.tsx";
import { useFormat } from "../../../tenant/use-format.ts";
import type { DeliveryDetail, TimelineEntry } from "../state/message.queries.ts";
import { explainEntry } from "./explain-entry.ts";
import { useTimelineTexts } from "./texts.ts";

/** What happened to a delivery, in plain words. */
export function Timeline({ delivery }: { delivery: DeliveryDetail }) {
	const words = useTimelineTexts();
	const format = useFormat();
	const { created_at, expires_at, final_at, timeline } = delivery;
	const wasQueued = final_at !== created_at;
	return (
		<Section title={words.title} lead={words.lead}>
			<ol className="border-l-2 border-hair pl-5">
				<li className="pb-5">
					<time dateTime={created_at} className="block text-sm text-quiet">
						{format.time(created_at)}
					</time>
					{words.accepted} {wasQueued && words.until(format.time(expires_at))}
				</li>
				{timeline.map((entry, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and are only appended
					<Entry key={`${entry.at} ${index}`} entry={entry} />
				))}
			</ol>
		</Section>
	);
}

function Entry({ entry }: { entry: TimelineEntry }) {
	const words = useTimelineTexts();
	const format = useFormat();
	const { text, because, nextAt } = explainEntry(entry, words);
	return (
		<li className="pb-5">
			<time dateTime={entry.at} className="block text-sm text-quiet">
				{format.time(entry.at)}
			</time>
			<span className="wrap-anywhere">{[text, because].filter(Boolean).join(" ")}</span>
			{nextAt !== undefined && <span className="block text-quiet">{words.next(format.time(nextAt))}</span>}
		</li>
	);
}
