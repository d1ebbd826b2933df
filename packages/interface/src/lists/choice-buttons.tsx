import { useState } from "react";
import { SearchField } from "../fields/search-field.tsx";
import { findRows } from "./find-rows.ts";

type ButtonChoice = { id: string; name: string; detail: string };

type ChoiceButtons = {
	choices: readonly ButtonChoice[];
	/** The label of the search, which is shown if there are many, and the text if nothing is found. */
	search: string;
	notFound: string;
	/** The one that was chosen last, and the text beside it. */
	lastId: string | null | undefined;
	last: string;
	/** The one whose choice is being saved, and the text beside it. Another cannot be chosen meanwhile. */
	chosenId: string | undefined;
	choosing: string;
	onChoose: (id: string) => void;
};

const searchedFrom = 8;

/** One of several, each a large button; many of them with a search. */
export function ChoiceButtons({ choices, search, notFound, ...list }: ChoiceButtons) {
	const { lastId, last, chosenId, choosing, onChoose } = list;
	const [text, setText] = useState("");
	const found = findRows(choices, text, ({ name, detail }) => `${name} ${detail}`);
	return (
		<div className="grid w-full gap-3">
			{choices.length >= searchedFrom && <SearchField label={search} onSearch={setText} />}
			<p role="status" className="text-quiet empty:hidden">
				{choices.length > 0 && found.length === 0 ? notFound : null}
			</p>
			<ul className="grid gap-3">
				{found.map(({ id, name, detail }) => (
					<li key={id}>
						<button
							type="button"
							aria-disabled={chosenId !== undefined}
							onClick={() => chosenId === undefined && onChoose(id)}
							className="flex min-h-16 w-full flex-wrap items-center justify-between gap-x-4 rounded-lg border border-edge bg-field px-4 py-3 text-left hover:border-link aria-disabled:cursor-progress aria-disabled:opacity-70"
						>
							<span className="min-w-0">
								<span className="block text-lg font-semibold wrap-anywhere">{name}</span>
								<span className="block text-quiet">{detail}</span>
							</span>
							<span className="text-quiet">{chosenId === id ? choosing : id === lastId && last}</span>
						</button>
					</li>
				))}
			</ul>
		</div>
	);
}
