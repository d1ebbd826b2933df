import { Button } from "@lango/interface";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { FormButton } from "../../../dialogs/form-button.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { usePlatform } from "../../../platform.ts";
import { readSamples } from "../draft/draft.ts";
import { type Content, sendTest } from "../draft/templates.queries.ts";
import { useContentName, useTemplateTexts } from "../draft/texts.ts";
import type { Editing } from "../draft/use-draft.ts";

/** Saves, tests and publishes the draft. It stays in sight while the page is scrolled. */
export function ActionBar({ editing, content }: { editing: Editing; content: Content | undefined }) {
	const words = useTemplateTexts();
	const { base, typed, isChanged, save, publish, theirs } = editing;
	const hasDraft = base.draft !== null || isChanged;
	const { invalid } = readSamples(typed);
	// A conflict has its own buttons.
	const isBlocked = invalid.length > 0 || theirs !== undefined;
	return (
		<div className="sticky bottom-0 z-10 mt-9 border-t border-hair bg-wall py-3">
			{theirs === undefined && <ErrorNotice error={save.error} messages={words.errors} />}
			<div className="flex flex-wrap items-center gap-3">
				<p role="status" className="mr-auto text-quiet">
					{invalid.length > 0 ? words.samplesInvalid : words.stateOf(hasDraft, isChanged)}
				</p>
				<Button
					busyText={save.isPending ? words.saving : undefined}
					disabled={!isChanged || isBlocked}
					onClick={() => save.mutate(base)}
				>
					{words.save}
				</Button>
				{content !== undefined && <TestButton editing={editing} content={content} />}
				{hasDraft && !isBlocked && (
					<ConfirmButton
						kind="action"
						texts={editing.place.scope.isPlatform ? words.publishForAll : words.publish}
						name={base.path}
						action={publish}
						messages={words.errors}
					/>
				)}
			</div>
		</div>
	);
}

function TestButton({ editing, content }: { editing: Editing; content: Content }) {
	const { test: words, errors } = useTemplateTexts();
	const platform = usePlatform();
	const nameOf = useContentName();
	const { channel, locale } = content;
	return (
		<FormButton
			label={words.label}
			lead={
				<>
					<p>{words.lead(nameOf(content))}</p>
					{editing.isChanged && <p className="mt-2 font-semibold text-ink">{words.unsaved}</p>}
				</>
			}
			confirm={words.confirm}
			busyText={words.sending}
			messages={errors}
			action={() =>
				sendTest(platform, editing.place, { channel, locale, data: readSamples(editing.typed).values })
			}
			done={({ addresses }) => (channel === "in_app" ? words.doneInbox : words.done(addresses.join(", ")))}
		>
			{() => null}
		</FormButton>
	);
}
