import { Button } from "@lango/interface";
import { useId, useRef, useState } from "react";

type CopiedText = {
	label: string;
	value: string;
	copy: string;
	copied: string;
};

/** A value to take along, such as a secret that is shown once: copied by a press, or marked where the browser forbids that. */
export function CopiedText({ label, value, copy, copied }: CopiedText) {
	const [isCopied, setCopied] = useState(false);
	const field = useRef<HTMLInputElement>(null);
	const id = useId();
	const take = async () => {
		field.current?.select();
		try {
			await navigator.clipboard.writeText(value);
			setCopied(true);
		} catch {
			// The browser keeps pages from its clipboard: the value is marked, and the person copies it.
		}
	};
	return (
		<div>
			<label htmlFor={id} className="mb-1.5 block font-semibold">
				{label}
			</label>
			<div className="flex flex-wrap items-center gap-3">
				<input
					ref={field}
					id={id}
					readOnly
					value={value}
					autoComplete="off"
					onFocus={(event) => event.target.select()}
					className="min-h-12 min-w-0 grow basis-64 rounded-lg border border-edge bg-field px-3.5 font-mono text-base text-ink"
				/>
				<Button onClick={() => void take()}>{isCopied ? copied : copy}</Button>
			</div>
		</div>
	);
}
