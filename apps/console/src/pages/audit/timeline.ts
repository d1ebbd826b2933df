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

/** Where a page begins: after the entries that earlier pages have shown. */
export type Place = {
	/** The time of the last entry; "" before the first page. */
	at: string;
	/** How many entries of that time were shown. */
	shown: number;
	/** How many rows earlier pages have. */
	rows: number;
	/** The requests that earlier pages have counted for visits: by actor, from which time on. */
	counted: ReadonlyMap<string, string>;
};

const firstPlace: Place = { at: "", shown: 0, rows: 0, counted: new Map() };

/**
 * The entries from `before` that a page begins with. Entries of the same millisecond are read again and
 * skipped, so that none is lost between two pages.
 */
export function startOfPage(cursor: string | undefined): { before: string | undefined; start: Place } {
	const start = readPlace(cursor);
	if (start === undefined) return { before: undefined, start: firstPlace };
	return { before: new Date(Date.parse(start.at) + 1).toISOString(), start };
}

/** The cursor of the page that begins at a place. */
export function cursorOf({ at, shown, rows, counted }: Place): string {
	return [at, shown, rows, ...[...counted].map(([actor, until]) => `${actor}@${until}`)].join("~");
}

const time = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z`;
const cursorForm = new RegExp(
	String.raw`^(?<at>${time})~(?<shown>\d{1,4})~(?<rows>\d{1,9})(?<visits>(~[^~@]*@${time})*)$`,
);

/** An address with another cursor shows the first page. */
function readPlace(cursor: string | undefined): Place | undefined {
	const { at, shown, rows, visits = "" } = cursorForm.exec(cursor ?? "")?.groups ?? {};
	if (at === undefined || Number.isNaN(Date.parse(at))) return undefined;
	const counted = visits
		.split("~")
		.slice(1)
		.map((visit) => visit.split("@") as [string, string]);
	return { at, shown: Number(shown), rows: Number(rows), counted: new Map(counted) };
}
