/** An entry of a list that is sorted by time, newest first. */
export type Timed = { at: string };

/** Merges lists that are sorted by time, newest first. Each is read only as far as necessary. */
export async function* mergeNewest<T extends Timed>(
	lists: ReadonlyArray<AsyncIterator<T>>,
): AsyncGenerator<T, void, void> {
	const heads = await Promise.all(lists.map((list) => list.next()));
	for (;;) {
		let newest: { index: number; entry: T } | undefined;
		for (const [index, head] of heads.entries())
			if (!head.done && (newest === undefined || head.value.at > newest.entry.at))
				newest = { index, entry: head.value };
		if (newest === undefined) return;
		yield newest.entry;
		const list = lists[newest.index];
		if (list !== undefined) heads[newest.index] = await list.next();
	}
}

/** After a page: the time of its last entry, and how many entries of that time were shown. */
type Place = { at: string; shown: number };

/**
 * The entries from `before` that a page begins with, and how many of them earlier pages have shown. Entries
 * of the same millisecond are read again and skipped, so that none is lost between two pages.
 */
export function startOfPage(cursor: string | undefined): { before: string | undefined; skipped: number } {
	const place = readPlace(cursor);
	if (place === undefined) return { before: undefined, skipped: 0 };
	return { before: new Date(Date.parse(place.at) + 1).toISOString(), skipped: place.shown };
}

/** The cursor after a page that began at `cursor`. */
export function placeAfter(items: readonly Timed[], cursor: string | undefined): string | null {
	const at = items.at(-1)?.at;
	if (at === undefined) return null;
	const place = readPlace(cursor);
	const earlier = place?.at === at ? place.shown : 0;
	return `${at}~${earlier + items.filter((item) => item.at === at).length}`;
}

const cursorForm = /^(?<at>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)~(?<shown>\d{1,4})$/;

/** An address with another cursor shows the first page. */
function readPlace(cursor: string | undefined): Place | undefined {
	const { at, shown } = cursorForm.exec(cursor ?? "")?.groups ?? {};
	if (at === undefined || Number.isNaN(Date.parse(at))) return undefined;
	return { at, shown: Number(shown) };
}
