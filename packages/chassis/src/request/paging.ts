import { chassisFailures } from "./failure.ts";

/** The two values after which the next page begins. */
export type Place = readonly [string, string];

/** The format of each part of a place. */
export type PlaceForm = readonly [RegExp, RegExp];

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const numberForm = /^[0-9]{1,18}$/;
/** A time in microseconds since 1970, or a position, and the id that breaks ties. */
export const timeForm: PlaceForm = [numberForm, uuidForm];
/** Text that a database can store, because callers can send any cursor. */
export const textForm = /^[^\0\ud800-\udfff]{0,320}$/;

/**
 * Reads the cursor that a caller sends back. Throws `invalid_input` with its field if it is not a valid
 * cursor.
 */
export function readCursor(cursor: string | undefined, [first, second]: PlaceForm): Place | undefined {
	if (cursor === undefined) return undefined;
	const text = Buffer.from(cursor, "base64url").toString("utf8");
	const divided = text.lastIndexOf("\n");
	const place = [text.slice(0, Math.max(divided, 0)), text.slice(divided + 1)] as const;
	if (divided === -1 || !first.test(place[0]) || !second.test(place[1]))
		throw chassisFailures.invalid_input({
			message: "cursor is not the next_cursor of a page.",
			fields: { field: "cursor", in: "query" },
		});
	return place;
}

/**
 * Reads the cursor of a list ordered by one value. Throws `invalid_input` for the cursor of another list.
 */
export function readKey(cursor: string | undefined, form: RegExp): string | undefined {
	return readCursor(cursor, [/^$/, form])?.[1];
}

export type PageOptions<Row, Wire> = {
	limit: number;
	toWire: (row: Row) => Wire;
	placeOf: (row: Row) => Place;
};

/** Builds a page from rows, of which one more than the limit was read. */
export function pageOf<Row, Wire>(
	rows: readonly Row[],
	{ limit, toWire, placeOf }: PageOptions<Row, Wire>,
): { items: Wire[]; next_cursor: string | null } {
	const shown = rows.slice(0, limit);
	const last = rows.length > limit ? shown.at(-1) : undefined;
	return {
		items: shown.map(toWire),
		next_cursor: last === undefined ? null : Buffer.from(placeOf(last).join("\n")).toString("base64url"),
	};
}

/** Builds a page of a list ordered by one value, from rows of which one more than the limit was read. */
export function pageBy<Row, Wire>(
	rows: readonly Row[],
	{ keyOf, ...options }: Omit<PageOptions<Row, Wire>, "placeOf"> & { keyOf: (row: Row) => string },
): { items: Wire[]; next_cursor: string | null } {
	return pageOf(rows, { ...options, placeOf: (row) => ["", keyOf(row)] });
}
