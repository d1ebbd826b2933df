import { Button, SelectField, TextField } from "@lango/interface";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { FormButton } from "../../../dialogs/form-button.tsx";
import { textOf } from "../../../forms/form-data.ts";
import { errorsOf } from "../../../forms/rules.ts";
import {
	addContent,
	type ContentPlace,
	findContent,
	hasSubject,
	placeKey,
	removeContent,
} from "../draft/draft.ts";
import { type Channel, type Content, channels } from "../draft/templates.queries.ts";
import { useContentName, useTemplateTexts } from "../draft/texts.ts";
import type { Editing } from "../draft/use-draft.ts";

type ContentPicker = {
	editing: Editing;
	chosen: Content | undefined;
	onChoose: (place: ContentPlace | undefined) => void;
};

/** The contents of a template by channel and language: one is chosen, added or removed. */
export function ContentPicker({ editing, chosen, onChoose }: ContentPicker) {
	const words = useTemplateTexts();
	const nameOf = useContentName();
	const { typed, findings } = editing;
	const isWrong = (content: Content) =>
		findings.some(({ place }) => place === placeKey(content) || place.startsWith(`${placeKey(content)}.`));
	return (
		<fieldset className="mb-5">
			<legend className="mb-2 text-quiet">{words.contents}</legend>
			<div className="flex flex-wrap gap-2">
				{typed.contents.map((content) => (
					<Button
						key={placeKey(content)}
						kind={content === chosen ? "action" : "plain"}
						aria-pressed={content === chosen}
						onClick={() => onChoose(content)}
					>
						{nameOf(content)}
						{isWrong(content) && <span> · {words.toRepair}</span>}
					</Button>
				))}
			</div>
			<div className="mt-3 flex flex-wrap gap-3">
				<AddContent editing={editing} onChoose={onChoose} />
				{chosen !== undefined && (
					<ConfirmButton
						key={placeKey(chosen)}
						kind="quiet"
						texts={words.removeContent}
						isDestructive
						name={nameOf(chosen)}
						action={async () => {
							editing.change((draft) => removeContent(draft, chosen));
							onChoose(undefined);
						}}
					/>
				)}
			</div>
		</fieldset>
	);
}

const localeForm = /^[a-z]{2,3}(-[A-Z]{2})?$/;

function AddContent({ editing, onChoose }: Pick<ContentPicker, "editing" | "onChoose">) {
	const words = useTemplateTexts();
	const { typed } = editing;
	const read = (entered: FormData): ContentPlace => ({
		channel: (channels.find((one) => one === textOf(entered, "channel")) ?? "email") satisfies Channel,
		locale: textOf(entered, "locale"),
	});
	const check = (entered: FormData) => {
		const place = read(entered);
		return errorsOf([
			[!localeForm.test(place.locale), "locale", words.addContent.localeWrong],
			[findContent(typed, place) !== undefined, "locale", words.addContent.exists],
		]);
	};
	const add = async (entered: FormData) => {
		const place = read(entered);
		const content = { ...place, source: "", ...(hasSubject(place.channel) && { subject: "" }) };
		editing.change((draft) => addContent(draft, content));
		onChoose(place);
	};
	return (
		<FormButton
			label={words.addContent.label}
			confirm={words.addContent.confirm}
			busyText={words.addContent.confirm}
			check={check}
			action={add}
		>
			{(field) => (
				<>
					<SelectField
						{...field("channel")}
						label={words.channel}
						options={channels.map((value) => ({ value, label: words.channelNames[value] }))}
					/>
					<TextField
						{...field("locale")}
						label={words.language}
						hint={words.addContent.localeHint}
						defaultValue="en"
						maxLength={6}
					/>
				</>
			)}
		</FormButton>
	);
}
