import { actorOf, callerOf, originOf } from "@lango/chassis";
import type { Treasury } from "../../treasury.ts";
import type { Changing } from "./change-profile.ts";

/** What an operator's change needs, of a request. */
export const changingOf = (
	{ db, now, keys, isPublicOnly }: Treasury,
	request: Parameters<typeof callerOf>[0],
): Changing => ({
	...{ db, now, keys, isPublicOnly },
	operator: { actor: actorOf(callerOf(request)), ...originOf(request) },
});
