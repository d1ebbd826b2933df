import { Button, TextField } from "@lango/interface";
import { useRef } from "react";
import { findContent, hasSubject, placeKey, withContent } from "../draft/draft.ts";
import type { Content } from "../draft/templates.queries.ts";
import { useTemplateTexts } from "../draft/texts.ts";
import type { Editing } from "../draft/use-draft.ts";
import type { EditorHandle } from "./code-editor.tsx";
import { useReasonAt } from "./findings-notice.tsx";
import { SourceField } from "./source-field.tsx";

/** The subject and the text of a content. */
export function ContentFields({ editing, content }: { editing: Editing; content: Content }) {
	const words = useTemplateTexts();
	const editor = useRef<EditorHandle>(null);
	const { channel, subject = "", source, whatsapp_name = "" } = content;
	const set = (change: Partial<Content>) =>
		editing.change((draft) => withContent(draft, { ...(findContent(draft, content) ?? content), ...change }));
	const reasonAt = useReasonAt(editing.findings);
	const reason = (part: string) => reasonAt(`${placeKey(content)}.${part}`);
	return (
		<div className="-mt-3">
			{hasSubject(channel) && (
				<TextField
					name="subject"
					label={channel === "email" ? words.subject : words.heading}
					value={subject}
					maxLength={1_000}
					isProse
					error={reason("subject")}
					onChange={(event) => set({ subject: event.target.value })}
				/>
			)}
			{channel === "whatsapp" && <WhatsappName value={whatsapp_name} onChange={set} />}
			<SourceField
				ref={editor}
				label={channel === "email" ? words.sourceOfEmail : words.source}
				hint={channel === "email" ? words.hintOfEmail : words.hint}
				value={source}
				onChange={(text) => set({ source: text })}
				error={reason("source")}
				isInvalid={reason("source") !== undefined}
			/>
			<Insertions editing={editing} onInsert={(text) => editor.current?.insert(text)} />
		</div>
	);
}

type WhatsappName = { value: string; onChange: (change: Partial<Content>) => void };

function WhatsappName({ value, onChange }: WhatsappName) {
	const words = useTemplateTexts();
	const isWrong = value !== "" && !/^([a-z0-9_]{1,512}|HX[0-9a-f]{32})$/.test(value);
	return (
		<TextField
			name="whatsapp_name"
			label={words.whatsappName}
			hint={words.whatsappHint}
			error={isWrong ? words.whatsappWrong : undefined}
			value={value}
			isOptional
			onChange={(event) => {
				const name = event.target.value;
				onChange({ whatsapp_name: name === "" ? undefined : name } as Partial<Content>);
			}}
		/>
	);
}

/** Buttons that write a variable at the cursor. */
function Insertions({ editing, onInsert }: { editing: Editing; onInsert: (text: string) => void }) {
	const words = useTemplateTexts();
	const { variables } = editing.typed;
	if (variables.length === 0) return null;
	return (
		<fieldset className="mt-4">
			<legend className="text-sm text-quiet">{words.insert}</legend>
			<div className="flex flex-wrap gap-x-4">
				{variables.map(({ name, kind }) => (
					<Button key={name} kind="quiet" onClick={() => onInsert(tagOf(name, kind))}>
						<span className="font-mono">{name}</span>
					</Button>
				))}
			</div>
		</fieldset>
	);
}

const tagOf = (name: string, kind: string) =>
	kind === "list" ? `{% for item in ${name} %}{{ item }}{% endfor %}` : `{{ ${name} }}`;
