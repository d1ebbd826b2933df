import Type, { type Static } from "typebox";
import { invalidParameter } from "./refusal.ts";

/** The query of every list. */
export const pageMembers = {
	perPage: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
	page: Type.Optional(Type.Integer({ minimum: 1 })),
	/** The first and the last time, ISO 8601. */
	from: Type.Optional(Type.String({ maxLength: 40 })),
	to: Type.Optional(Type.String({ maxLength: 40 })),
};
const pageShape = Type.Object(pageMembers);
type Page = Static<typeof pageShape>;

/** The part of a list that a page shows, with its `meta`. */
export function pageOf<Item>(items: readonly Item[], { perPage, page = 1 }: Page) {
	const skipped = (page - 1) * perPage;
	const meta = {
		...{ total: items.length, skipped, perPage, page },
		pageCount: Math.max(1, Math.ceil(items.length / perPage)),
	};
	return { data: items.slice(skipped, skipped + perPage), meta };
}

/** The first of the items that were found, as a page. Its cursor is the id of the last one, encoded. */
export function cursorPageOf<Item extends { id: number }>(
	found: readonly Item[],
	{ perPage }: { perPage: number },
) {
	const data = found.slice(0, perPage);
	const last = found.length > perPage ? data.at(-1) : undefined;
	const meta = { next: last === undefined ? null : toCursor(last.id), previous: null, perPage };
	return { data, meta };
}

const toCursor = (id: number) => Buffer.from(`after:${id}`).toString("base64");

/** The item before a page: the one with the id of its cursor; undefined: the page is the first one. */
export function readCursor<Item>(text: string | undefined, find: (id: number) => Item): Item | undefined {
	if (text === undefined) return undefined;
	const id = /^after:(\d+)$/.exec(Buffer.from(text, "base64").toString())?.[1];
	if (id === undefined) throw invalidParameter("Invalid cursor");
	return find(Number(id));
}

/** True for the times of the query's `from` and `to`, both included. */
export function rangeOf({ from, to }: Pick<Page, "from" | "to">): (at: string) => boolean {
	const first = readTime(from, "from");
	const last = readTime(to, "to");
	return (at) => (first ?? "") <= at && at <= (last ?? "9999");
}

/** A day without a time is the whole day. */
function readTime(text: string | undefined, name: "from" | "to"): string | undefined {
	if (text === undefined) return undefined;
	const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) && name === "to" ? `${text}T23:59:59.999Z` : text);
	if (Number.isNaN(at.getTime())) throw invalidParameter(`Invalid date in ${name}`);
	return at.toISOString();
}
