import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { liquidLanguage } from "@codemirror/lang-liquid";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";

/** What the page does with an editor. */
export type EditorHandle = { insert: (text: string) => void; focus: () => void };

/** What is selected, as offsets in the text. */
export type Selection = { anchor: number; head: number };

export type CodeEditor = {
	ref?: Ref<EditorHandle>;
	/** If given, the editor takes the focus when it appears, with this selection. */
	selection?: Selection;
	value: string;
	onChange: (value: string) => void;
	label: string;
	isInvalid: boolean;
};

const look = EditorView.theme({
	"&": {
		color: "var(--ink)",
		backgroundColor: "var(--field)",
		border: "1px solid var(--edge)",
		borderRadius: "0.5rem",
	},
	"&.cm-focused": { outline: "3px solid var(--ring)", outlineOffset: "2px" },
	".cm-scroller": {
		fontFamily: "ui-monospace, monospace",
		lineHeight: "1.5",
		overflow: "auto",
		maxHeight: "32rem",
	},
	".cm-content": { caretColor: "var(--ink)", minHeight: "14rem", padding: "0.75rem 0" },
	".cm-line": { padding: "0 0.875rem" },
	".cm-cursor": { borderLeftColor: "var(--ink)" },
});

const colours = HighlightStyle.define([
	{ tag: [tags.tagName, tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: "var(--link)" },
	{ tag: [tags.attributeName, tags.propertyName, tags.variableName], color: "var(--warning)" },
	{ tag: [tags.string, tags.attributeValue, tags.number], color: "var(--done)" },
	{ tag: [tags.comment, tags.angleBracket, tags.bracket, tags.brace], color: "var(--quiet)" },
	{ tag: tags.invalid, color: "var(--error)" },
]);

/**
 * An editor for Liquid and MJML. It is in a shadow root: its styles are then adopted, which the page's policy
 * allows, and are not written into the page.
 */
export function CodeEditor({ ref, selection, value, onChange, label, isInvalid }: CodeEditor) {
	const host = useRef<HTMLDivElement>(null);
	const view = useRef<EditorView>(undefined);
	const first = useRef({ value, label, selection });
	const change = useRef(onChange);
	change.current = onChange;
	/** What the editor said since the page last passed one of its texts back. */
	const said = useRef<string[]>([]);
	useEffect(() => {
		if (host.current === null) return;
		const onChange = (text: string) => {
			said.current.push(text);
			change.current(text);
		};
		const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
		const editor = openEditor(root, { ...first.current, onChange });
		view.current = editor;
		if (first.current.selection !== undefined) editor.focus();
		return () => editor.destroy();
	}, []);
	useEffect(() => {
		const editor = view.current;
		if (editor === undefined) return;
		// A text of its own comes back late when keys are pressed quickly: it does not undo them.
		const returned = said.current.splice(0, said.current.lastIndexOf(value) + 1);
		if (returned.length > 0 || editor.state.doc.toString() === value) return;
		editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
	}, [value]);
	useEffect(() => {
		view.current?.contentDOM.setAttribute("aria-invalid", String(isInvalid));
	}, [isInvalid]);
	useImperativeHandle(ref, () => ({
		insert: (text) => {
			view.current?.dispatch(view.current.state.replaceSelection(text));
			view.current?.focus();
		},
		focus: () => view.current?.focus(),
	}));
	return <div ref={host} />;
}

/**
 * Text that replaces a selection is inserted by the editor: browsers would keep the style of what it replaces
 * in a style attribute, which the page's policy refuses.
 */
const replacing = EditorView.domEventHandlers({
	beforeinput(event, view) {
		const { inputType, data, isComposing } = event;
		if (inputType !== "insertText" || data === null || isComposing || view.state.selection.main.empty)
			return false;
		event.preventDefault();
		view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
		return true;
	},
});

type Opening = {
	value: string;
	label: string;
	selection: Selection | undefined;
	onChange: (value: string) => void;
};

function openEditor(root: ShadowRoot, { value, label, selection, onChange }: Opening): EditorView {
	const listener = EditorView.updateListener.of((update) => {
		if (update.docChanged) onChange(update.state.doc.toString());
	});
	return new EditorView({
		parent: root,
		root,
		state: EditorState.create({
			doc: value,
			...(selection && { selection }),
			extensions: [
				history(),
				keymap.of([...defaultKeymap, ...historyKeymap]),
				// The language alone: its support would write end tags, which the plain field does not.
				liquidLanguage,
				syntaxHighlighting(colours),
				EditorView.lineWrapping,
				EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true" }),
				look,
				replacing,
				listener,
			],
		}),
	});
}
