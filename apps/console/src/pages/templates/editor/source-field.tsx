import { type Ref, type RefObject, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { CodeEditor, EditorHandle, Selection } from "./code-editor.tsx";

type LoadedEditor = { Editor: typeof CodeEditor; selection?: Selection };

/** The editor, once it is loaded. */
let loaded: LoadedEditor | undefined;

/**
 * The editor, which only the page of a template loads, after everything else of it. What has the focus then
 * continues in the editor.
 */
function useCodeEditor(plain: RefObject<HTMLTextAreaElement | null>): LoadedEditor | undefined {
	const [editor, setEditor] = useState(loaded);
	useEffect(() => {
		let isShown = true;
		import("./code-editor.tsx").then(({ CodeEditor: Editor }) => {
			loaded = { Editor };
			const selection = selectionIn(plain.current);
			// At once, because a key typed between would be lost.
			if (isShown) flushSync(() => setEditor((now) => now ?? { Editor, ...(selection && { selection }) }));
			// Without the editor, the plain field stays.
		}, reportError);
		return () => {
			isShown = false;
		};
	}, [plain]);
	return editor;
}

/** What is selected in a field; undefined if the field does not have the focus. */
function selectionIn(field: HTMLTextAreaElement | null): Selection | undefined {
	if (field === null || document.activeElement !== field) return undefined;
	return { anchor: field.selectionStart, head: field.selectionEnd };
}

type SourceField = CodeEditor & {
	/** What is wrong in the text. */
	error: string | undefined;
	hint: string;
	ref?: Ref<EditorHandle>;
};

/** The text of a content, in an editor; until that is loaded, in a plain field. */
export function SourceField({ error, hint, ...editor }: SourceField) {
	const plain = useRef<HTMLTextAreaElement>(null);
	const code = useCodeEditor(plain);
	return (
		<div className="mt-5">
			<p aria-hidden="true" className="mb-1.5 font-semibold">
				{editor.label}
			</p>
			{code === undefined ? (
				<PlainEditor {...editor} ref={plain} />
			) : (
				<code.Editor {...editor} {...(code.selection && { selection: code.selection })} />
			)}
			{error !== undefined && <p className="mt-1.5 font-semibold text-error">{error}</p>}
			<p className="mt-1.5 text-quiet">{hint}</p>
		</div>
	);
}

type PlainEditor = Omit<CodeEditor, "ref"> & { ref: Ref<HTMLTextAreaElement> };

function PlainEditor({ ref, value, onChange, label, isInvalid }: PlainEditor) {
	return (
		<textarea
			ref={ref}
			aria-label={label}
			aria-invalid={isInvalid}
			value={value}
			rows={10}
			spellCheck={false}
			onChange={(event) => onChange(event.target.value)}
			className="min-h-64 w-full rounded-lg border border-edge bg-field px-3.5 py-3 font-mono"
		/>
	);
}
