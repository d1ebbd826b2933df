import { uuidForm } from "@lango/chassis";
import { TotalQuery } from "@lango/contracts";
import Type from "typebox";

const Cursor = Type.String({
	pattern: "^[A-Za-z0-9_-]{1,200}$",
	description: "next_cursor of the previous page",
});

/** The query parameters of a list in pages. */
export const pageParams = {
	limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
	cursor: Type.Optional(Cursor),
};

/** The query string of a list that has no other parameters. */
export const PageQuery = Type.Object(pageParams, { additionalProperties: false });

/** The query string of a list that can be counted. */
export const CountedPageQuery = Type.Object(
	{ ...pageParams, ...TotalQuery },
	{ additionalProperties: false },
);

/** The forms of the one value by which a list is ordered. */
export const codeForm = /^[a-z][a-z0-9_]{1,62}$/;
/** A position or a version: a PostgreSQL `integer`. */
export const numberForm = /^[0-9]{1,9}$/;
/** An id of a PostgreSQL `bigint`. */
export const bigintForm = /^[0-9]{1,18}$/;

/** A time in milliseconds since 1970, and an id. */
export const timeForm = [/^[0-9]{1,15}$/, uuidForm] as const;
