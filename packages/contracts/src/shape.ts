import Type, { type TObject, type TProperties } from "typebox";

/** An object whose unknown members are refused: what a request body is made of. */
export function Shape<const P extends TProperties>(properties: P): TObject<P> {
	return Type.Object(properties, { additionalProperties: false });
}

export const Uuid = Type.String({ format: "uuid" });
export const Slug = Type.String({ pattern: "^[a-z0-9-]{2,63}$" });

/** How every service but the OAuth endpoints answers a refusal; more members may follow by code. */
export const FailureBody = Type.Object(
	{ error: Type.String(), code: Type.String(), request_id: Type.String() },
	{ additionalProperties: true },
);

/** A page of a list: `next_cursor` is null on the last one. */
export const Page = <const T extends Type.TSchema>(item: T) =>
	Type.Object({ items: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]) });
