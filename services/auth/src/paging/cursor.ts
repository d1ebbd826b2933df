import { chassisFailures } from "@lango/chassis";

/** Where the page before ended: microseconds since 1970, or a position, and the id that breaks ties. */
export type Place = { at: string; id: string | null };

const form = /^(\d{1,16})(?:\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$/;

/** Reads the cursor a caller sends back. Throws `invalid_input` naming it when it is none of ours. */
export function readCursor(cursor: string | undefined): Place | undefined {
	if (cursor === undefined) return undefined;
	const [, at, id = null] = form.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
	if (at === undefined)
		throw chassisFailures.invalid_input({
			message: "cursor is not the next_cursor of a page.",
			fields: { field: "cursor", in: "query" },
		});
	return { at, id };
}

/** Rows come one more than asked for when there is a next page. */
export function pageOf<R extends { place_at: string; place_id?: string }, T>(
	rows: readonly R[],
	limit: number,
	convert: (row: R) => T,
): { items: T[]; next_cursor: string | null } {
	const shown = rows.slice(0, limit);
	const last = rows.length > limit ? shown.at(-1) : undefined;
	return { items: shown.map(convert), next_cursor: last === undefined ? null : write(last) };
}

function write({ place_at: at, place_id: id }: { place_at: string; place_id?: string }): string {
	return Buffer.from(id === undefined ? at : `${at}.${id}`).toString("base64url");
}
