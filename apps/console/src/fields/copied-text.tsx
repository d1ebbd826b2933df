import { Button } from "@lango/interface";
import { useRef, useState } from "react";
import { useFieldTexts } from "./texts.ts";

/** A text to copy, for example a link that is shown once. A click selects it; the button copies it. */
export function CopiedText({ label, text }: { label: string; text: string }) {
	const field = useRef<HTMLInputElement>(null);
	const words = useFieldTexts();
	const [isCopied, setCopied] = useState(false);
	const copy = async () => {
		field.current?.select();
		try {
			await navigator.clipboard.writeText(text);
			setCopied(true);
		} catch {
			// The browser does not permit copying. The text is selected, so the keyboard shortcut works.
			setCopied(false);
		}
	};
	return (
		<div className="mt-4 flex flex-col gap-2 sm:flex-row">
			<input
				ref={field}
				readOnly
				aria-label={label}
				value={text}
				onFocus={(event) => event.target.select()}
				className="min-h-12 min-w-0 grow rounded-lg border border-edge bg-field px-3.5"
			/>
			<Button onClick={() => void copy()}>
				<span aria-live="polite">{isCopied ? words.copied : words.copy}</span>
			</Button>
		</div>
	);
}
