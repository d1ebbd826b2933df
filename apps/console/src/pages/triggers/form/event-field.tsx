import { SelectField, TextField } from "@lango/interface";
import { nameOfEvent } from "../state/describe-trigger.ts";
import { useTriggerTexts } from "../state/texts.ts";
import type { EventType } from "../state/trigger.queries.ts";
import type { Part } from "./part.ts";

const own = "own";
const ownStart = "custom.";

/** The event of a rule: a known one, or one of the tenant's own programs by its name. */
export function EventField({ draft, change, at, eventTypes }: Part & { eventTypes: readonly EventType[] }) {
	const texts = useTriggerTexts();
	const { form: words } = texts;
	const { event } = draft;
	const isOwn = event !== "" && !eventTypes.some(({ type }) => type === event);
	const field = at("event");
	const options = [
		{ value: "", label: words.choose },
		{ value: own, label: words.ownEvent },
		...eventTypes.map(({ type }) => ({ value: type, label: nameOfEvent(type, texts) })),
	];
	return (
		<>
			<SelectField
				{...(isOwn ? at("event_kind") : field)}
				label={words.event}
				value={isOwn ? own : event}
				onChange={({ target }) => change({ event: target.value === own ? ownStart : target.value })}
				options={options}
			/>
			{isOwn && (
				<TextField
					{...field}
					label={words.ownEventName}
					hint={words.ownEventHint}
					value={event}
					onChange={({ target }) => change({ event: target.value })}
					maxLength={120}
				/>
			)}
		</>
	);
}
