import Type, { type TObject, type TProperties } from "typebox";
import { slugForm } from "./text.ts";
import { totalMax } from "./total.ts";

/** An object schema that refuses unknown members, for request bodies. */
export function Shape<const P extends TProperties>(properties: P): TObject<P> {
	return Type.Object(properties, { additionalProperties: false });
}

export const Uuid = Type.String({ format: "uuid" });
export const Slug = Type.String({ pattern: slugForm });

/** The error response of every service, except the OAuth endpoints. Some codes have additional members. */
export const FailureBody = Type.Object(
	{ error: Type.String(), code: Type.String(), request_id: Type.String() },
	{ additionalProperties: true },
);

/** A page of a list. `next_cursor` is null on the last page. `total` is there if it was requested. */
export const Page = <const T extends Type.TSchema>(item: T) =>
	Type.Object({
		items: Type.Array(item),
		next_cursor: Type.Union([Type.String(), Type.Null()]),
		total: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: totalMax + 1,
				description: `Entries of all pages, with total=true. ${totalMax + 1}: there are more than ${totalMax}`,
			}),
		),
	});
