import { SelectField, TextField } from "@lango/interface";
import { CheckField } from "../../../fields/check-field.tsx";
import { wordFor } from "../../../texts/texts.ts";
import { type Unit, units } from "../state/describe-trigger.ts";
import { useTriggerTexts } from "../state/texts.ts";
import { intervals, weekdays } from "../state/trigger.queries.ts";
import type { Part } from "./part.ts";
import { type DigestDraft, digestTimes } from "./trigger-draft.ts";

/** When messages are sent: after a delay, or collected in digests. */
export function DeliveryFields({ draft: { delay, digest }, change, at }: Part) {
	const { form: words } = useTriggerTexts();
	const set = (more: Partial<DigestDraft>) => change({ digest: { ...digest, ...more } });
	return (
		<>
			<div className="grid gap-x-4 sm:grid-cols-2">
				<TextField
					{...at("delay_seconds")}
					label={words.delay}
					value={delay.count}
					onChange={({ target }) => change({ delay: { ...delay, count: target.value } })}
					inputMode="numeric"
					maxLength={7}
				/>
				<SelectField
					name="delay_unit"
					label={words.delayUnit}
					value={delay.unit}
					onChange={({ target }) => change({ delay: { ...delay, unit: target.value as Unit } })}
					options={(Object.keys(units) as Unit[])
						.toReversed()
						.map((value) => ({ value, label: words.units[value] }))}
				/>
			</div>
			<CheckField
				{...at("digest")}
				label={words.digest}
				hint={words.digestHint}
				isChecked={digest.isOn}
				onChange={(isOn) => set({ isOn })}
			/>
			{digest.isOn && <DigestFields digest={digest} set={set} at={at} />}
		</>
	);
}

type DigestFields = Pick<Part, "at"> & { digest: DigestDraft; set: (more: Partial<DigestDraft>) => void };

function DigestFields({ digest, set, at }: DigestFields) {
	const { form: words } = useTriggerTexts();
	const { time, itemsMax, key } = digest;
	return (
		<div className="grid gap-x-4 sm:grid-cols-2">
			<SelectField
				name="digest.time"
				label={words.digestTime}
				value={time}
				onChange={({ target }) => set({ time: target.value as DigestDraft["time"] })}
				options={digestTimes.map((value) => ({ value, label: words.digestTimes[value] }))}
			/>
			<TimeFields digest={digest} set={set} at={at} />
			<TextField
				{...at("digest.items_max")}
				label={words.itemsMax}
				hint={words.itemsMaxHint}
				value={itemsMax}
				onChange={({ target }) => set({ itemsMax: target.value })}
				inputMode="numeric"
				maxLength={2}
			/>
			<TextField
				{...at("digest.key")}
				label={words.key}
				hint={words.keyHint}
				value={key}
				onChange={({ target }) => set({ key: target.value })}
				maxLength={200}
				isOptional
			/>
		</div>
	);
}

function TimeFields({ digest: { time, every, day, at: clock }, set, at }: DigestFields) {
	const { form: words, intervals: intervalWords, weekdays: dayWords } = useTriggerTexts();
	if (time === "every")
		return (
			<SelectField
				name="digest.every"
				label={words.every}
				value={every}
				onChange={({ target }) => set({ every: target.value })}
				options={intervals.map((value) => ({ value, label: wordFor(intervalWords, value) }))}
			/>
		);
	return (
		<>
			{time === "weekly_at" && (
				<SelectField
					name="digest.day"
					label={words.day}
					value={day}
					onChange={({ target }) => set({ day: target.value })}
					options={weekdays.map((value) => ({ value, label: wordFor(dayWords, value) }))}
				/>
			)}
			<TextField
				{...at("digest.at")}
				type="time"
				label={words.at}
				hint={words.atHint}
				value={clock}
				onChange={({ target }) => set({ at: target.value })}
			/>
		</>
	);
}
