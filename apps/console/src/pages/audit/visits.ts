import type { Entry } from "./sources.ts";
import type { Place } from "./timeline.ts";

/** Of a visit of the platform owner: the number of requests, and when the first one was. */
export type Visit = { requests: number; since: string };

/** An entry; a visit is folded into its newest one. */
export type FoldedEntry = Entry & { visit?: Visit };

/** The action of a request by which the platform owner accessed the organisation. */
const passing = "access.passed";
/** After this time without a request the next one is another visit. */
const visitPauseMilliseconds = 30 * 60_000;

/** The visits that were found so far, by actor. */
type Visits = Map<string, Visit>;

/**
 * Folds the requests of one visit of the platform owner into one entry, at the place of its newest request. A
 * visit is the requests of one actor without a pause; other entries may lie between them.
 */
export function foldVisits(entries: readonly Entry[]): FoldedEntry[] {
	const visits: Visits = new Map();
	return entries.flatMap((entry) => (isOfVisit(visits, entry) ? [] : [toFolded(visits, entry)]));
}

type Page = { items: FoldedEntry[]; end: Place | undefined };

/**
 * Reads folded entries from a place on, until there are `size`, and then further until the visits among them
 * are complete; at most `entriesMax` entries. A visit of more requests continues as another one.
 */
export async function foldPage(
	entries: AsyncIterable<Entry>,
	{ start, size, entriesMax }: { start: Place; size: number; entriesMax: number },
): Promise<Page> {
	const visits: Visits = new Map();
	const isKnown = knownFrom(start, visits);
	const items: FoldedEntry[] = [];
	let [read, last, isFull] = [0, start, false];
	for await (const entry of withoutShown(entries, start)) {
		if (read === entriesMax) return { items, end: endOf({ last, items, visits }) };
		read += 1;
		const isNew = !isKnown(entry);
		isFull ||= isNew && items.length === size;
		if (isFull && !isAnyOpen(visits, entry)) break;
		if (isFull) continue;
		if (isNew) items.push(toFolded(visits, entry));
		last = placeAfter(last, entry);
	}
	return { items, end: isFull ? endOf({ last, items, visits }) : undefined };
}

/** Only entries of the last time were shown: a cursor that claims more of them hides none of another time. */
async function* withoutShown(entries: AsyncIterable<Entry>, { at, shown }: Place): AsyncGenerator<Entry> {
	let left = shown;
	for await (const entry of entries)
		if (left > 0 && entry.at === at) left -= 1;
		else yield entry;
}

const placeAfter = (last: Place, { at }: Entry): Place => ({
	...last,
	at,
	shown: at === last.at ? last.shown + 1 : 1,
});

/** Whether an earlier request than this entry can belong to a visit. */
const isAnyOpen = (visits: Visits, entry: Entry) =>
	[...visits.values()].some((visit) => isSoonAfter(visit, entry));

/** After a page. What was counted for a visit beyond the page is not shown again. */
function endOf({ last, items, visits }: { last: Place; items: FoldedEntry[]; visits: Visits }): Place {
	const found = [...visits].map(([actor, { since }]) => [actor, since] as const);
	const counted = [...last.counted, ...found].filter(([, until]) => until <= last.at);
	return { ...last, rows: last.rows + items.length, counted: new Map(counted) };
}

/**
 * Whether an entry is of a visit that this page shows, or that a previous page counted: then not after a
 * pause, whatever the cursor says.
 */
function knownFrom({ at, counted }: Place, visits: Visits): (entry: Entry) => boolean {
	const before: Visits = new Map([...counted.keys()].map((actor) => [actor, { requests: 0, since: at }]));
	return (entry) => {
		const until = counted.get(actorOf(entry));
		const isCounted = until !== undefined && entry.at >= until && isOfVisit(before, entry);
		return isCounted || isOfVisit(visits, entry);
	};
}

/** Adds a request to the visit of its actor; false for another entry and for a request after a pause. */
function isOfVisit(visits: Visits, entry: Entry): boolean {
	const visit = entry.entry.action === passing ? visits.get(actorOf(entry)) : undefined;
	if (visit === undefined || !isSoonAfter(visit, entry)) return false;
	visit.requests += 1;
	visit.since = entry.at;
	return true;
}

function toFolded(visits: Visits, entry: Entry): FoldedEntry {
	if (entry.entry.action !== passing) return entry;
	const visit = { requests: 1, since: entry.at };
	visits.set(actorOf(entry), visit);
	return { ...entry, visit };
}

const isSoonAfter = ({ since }: Visit, { at }: Entry) =>
	Date.parse(since) - Date.parse(at) <= visitPauseMilliseconds;

const actorOf = (entry: Entry) =>
	(entry.kind === "tenant" ? entry.entry.actor_user_id : entry.entry.actor_id) ?? "";
