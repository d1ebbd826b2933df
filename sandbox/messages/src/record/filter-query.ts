import Type, { type Static } from "typebox";
import { channels, kinds, outcomes } from "./arrival.ts";
import type { Filter } from "./records.ts";

const text = Type.Optional(Type.String({ maxLength: 512 }));

/** The query members that narrow lists and waits. */
export const filterMembers = {
	kind: Type.Optional(Type.Enum(kinds, { type: "string" })),
	channel: Type.Optional(Type.Enum(channels, { type: "string" })),
	to: text,
	tenant: text,
	delivery_id: text,
	/** Part of an address, subject or text. */
	q: text,
	outcome: Type.Optional(Type.Enum([...outcomes, "all"], { type: "string" })),
};

type FilterQuery = Static<Type.TObject<typeof filterMembers>>;

/** Reads the query; `outcomes` says what is listed if the query does not. */
export function toFilter(query: FilterQuery, otherwise: "accepted" | "all"): Filter {
	const outcome = query.outcome ?? otherwise;
	return {
		kind: query.kind,
		channel: query.channel,
		to: query.to,
		tenant: query.tenant,
		deliveryId: query.delivery_id?.toLowerCase(),
		text: query.q,
		outcome: outcome === "all" ? undefined : outcome,
	};
}
