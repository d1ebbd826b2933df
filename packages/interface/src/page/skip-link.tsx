import { useWords } from "../texts/words.ts";

/** The first stop of the keyboard: over what is on every page, to the element with the id `content`. */
export function SkipLink() {
	const words = useWords();
	return (
		<a
			href="#content"
			className="sr-only z-10 rounded-lg bg-action px-5 py-3 font-semibold text-action-ink focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
		>
			{words.skip}
		</a>
	);
}
