import type { Place } from "@lango/chassis";

/** The place of a row in its list, as the statements of all lists here name it. */
export const placeOf = ({ place_at, place_id }: { place_at: string; place_id: string }): Place => [
	place_at,
	place_id,
];
