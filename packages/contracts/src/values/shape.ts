import Type, { type TObject, type TProperties } from "typebox";

/** An object schema that refuses unknown members, for request bodies. */
export function Shape<const P extends TProperties>(properties: P): TObject<P> {
	return Type.Object(properties, { additionalProperties: false });
}

export const Uuid = Type.String({ format: "uuid" });
export const Slug = Type.String({ pattern: "^[a-z0-9-]{2,63}$" });

/** The error response of every service, except the OAuth endpoints. Some codes have additional members. */
export const FailureBody = Type.Object(
	{ error: Type.String(), code: Type.String(), request_id: Type.String() },
	{ additionalProperties: true },
);

/** A page of a list. `next_cursor` is null on the last page. */
export const Page = <const T extends Type.TSchema>(item: T) =>
	Type.Object({ items: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]) });
