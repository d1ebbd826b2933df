import { Button } from "../controls/button.tsx";
import { formatNumber } from "../texts/format.ts";
import { useLanguage } from "../texts/language.ts";
import { useWords } from "../texts/words.ts";
import type { CursorPages } from "./cursor-pages.ts";
import { describeTotal } from "./describe-total.ts";

type Pager = {
	/** The name of the list, on a page that may have several. */
	of?: string | undefined;
	pages: CursorPages;
	/** `next_cursor` of the page that is shown; null or absent on the last one. */
	nextCursor: string | null | undefined;
	/** How many rows a page has at most, and how many this one has. */
	size: number;
	count: number;
	/** How many rows are on the pages before. Default: full pages. */
	before?: number | undefined;
	/** How many rows there are, if it is known; more than `totalMax`: more than that. */
	total?: number | undefined;
};

/** Which rows of how many are shown, and the way through the pages where there are several. */
export function Pager({ of, pages, nextCursor, size, count, total, ...more }: Pager) {
	const words = useWords();
	const language = useLanguage();
	const isOnly = pages.number === 1 && !nextCursor;
	const { before = (pages.number - 1) * size } = more;
	const number = (value: number) => formatNumber(value, language);
	const all = nextCursor
		? describeTotal(total, { format: number, moreThan: words.moreThan })
		: number(before + count);
	const range = words.range(number(before + 1), number(before + count), all);
	return (
		<>
			{count > 0 && (
				<p className="mt-4 text-sm text-quiet tabular-nums">{isOnly ? words.total(number(count)) : range}</p>
			)}
			{!isOnly && (
				<nav
					aria-label={of === undefined ? words.pages : `${words.pages}: ${of}`}
					className="mt-2 flex flex-wrap items-center gap-3"
				>
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
			)}
		</>
	);
}
