import { type KeyboardEvent, useEffect, useEffectEvent, useState } from "react";
import { useWords } from "../texts/words.ts";

type SearchField = {
	/** The label, for example "Search people". */
	label: string;
	/** Called when the user stops typing; "" for everything. */
	onSearch: (text: string) => void;
	/** What is searched already. A change that did not come from this field replaces its text. */
	initial?: string;
};

const pauseMilliseconds = 300;

/** Keeps Enter from sending the form around the field: it has searched already. */
export function keepForm(event: Pick<KeyboardEvent, "key" | "preventDefault">): void {
	if (event.key === "Enter") event.preventDefault();
}

/** A search field that searches as the user types. */
export function SearchField({ label, onSearch, initial = "" }: SearchField) {
	const { search } = useWords();
	const [text, setText] = useState<string>();
	const [sent, setSent] = useState(initial);
	const [before, setBefore] = useState(initial);
	if (before !== initial) {
		setBefore(initial);
		if (initial !== sent) setText(undefined);
	}
	const send = useEffectEvent((typed: string) => {
		setSent(typed);
		onSearch(typed);
	});
	useEffect(() => {
		if (text === undefined) return;
		const pause = setTimeout(() => send(text.trim()), pauseMilliseconds);
		return () => clearTimeout(pause);
	}, [text]);
	return (
		<search className="w-full max-w-sm">
			<input
				type="search"
				aria-label={label}
				placeholder={search}
				value={text ?? initial}
				maxLength={100}
				onChange={(event) => setText(event.target.value)}
				onKeyDown={keepForm}
				className="min-h-11 w-full rounded-lg border border-edge bg-field px-3.5 placeholder:text-quiet"
			/>
		</search>
	);
}
