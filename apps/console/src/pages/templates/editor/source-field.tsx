import { lazy, type Ref, Suspense } from "react";
import type { CodeEditor, EditorHandle } from "./code-editor.tsx";

// Only the page of a template loads the editor, after everything else of it.
const LoadedEditor = lazy(async () => ({ default: (await import("./code-editor.tsx")).CodeEditor }));

type SourceField = CodeEditor & {
	/** What is wrong in the text. */
	error: string | undefined;
	hint: string;
	ref?: Ref<EditorHandle>;
};

/** The text of a content, in an editor; until that is loaded, in a plain field. */
export function SourceField({ error, hint, ...editor }: SourceField) {
	return (
		<div className="mt-5">
			<p aria-hidden="true" className="mb-1.5 font-semibold">
				{editor.label}
			</p>
			<Suspense fallback={<PlainEditor {...editor} />}>
				<LoadedEditor {...editor} />
			</Suspense>
			{error !== undefined && <p className="mt-1.5 font-semibold text-error">{error}</p>}
			<p className="mt-1.5 text-quiet">{hint}</p>
		</div>
	);
}

function PlainEditor({ value, onChange, label, isInvalid }: CodeEditor) {
	return (
		<textarea
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
