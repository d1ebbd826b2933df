import { Button } from "../controls/button.tsx";
import { useWords } from "../texts/words.ts";
import type { CursorPages } from "./cursor-pages.ts";

type Pager = {
	pages: CursorPages;
	/** `next_cursor` of the page that is shown; null or absent on the last one. */
	nextCursor: string | null | undefined;
};

/** The way through a paged list; nothing when there is one page. */
export function Pager({ pages, nextCursor }: Pager) {
	const words = useWords();
	if (pages.number === 1 && !nextCursor) return null;
	return (
		<nav aria-label={words.pages} className="mt-4 flex flex-wrap items-center gap-3">
			<Button disabled={pages.number === 1} onClick={pages.previous}>
				{words.previousPage}
			</Button>
			<span aria-live="polite" className="text-quiet">
				{words.page(pages.number)}
			</span>
			<Button disabled={!nextCursor} onClick={() => nextCursor && pages.next(nextCursor)}>
				{words.nextPage}
			</Button>
		</nav>
	);
}
