import type { Subscription } from "@lango/contracts";
import { freshSeconds } from "./entitlement.ts";

/** What is known of one tenant, and since when. */
export type Held = {
	/** Null: the tenant has no record. */
	subscription: Subscription | null;
	etag: string | undefined;
	/** In milliseconds since 1970: the answer was true then. */
	learnedAt: number;
};

/** Whether it may still be served when nobody better can be asked. */
export function isUsable({ learnedAt }: Held, now: number): boolean {
	return now < learnedAt + freshSeconds * 1_000;
}

/** Whether it is used without asking: young, and no boundary of the subscription has passed since. */
export function isFresh(held: Held, now: number): boolean {
	return isUsable(held, now) && now < boundaryOf(held);
}

/** A boundary that had passed already when it was learned means that two clocks differ: then ask once a second, not always. */
function boundaryOf({ subscription, learnedAt }: Held): number {
	const next = subscription?.next_change_at ?? null;
	if (next === null) return Number.POSITIVE_INFINITY;
	return Math.max(Date.parse(next), learnedAt + 1_000);
}

/** The version of what is held; having no record comes before every version. */
export const versionOf = ({ subscription }: Held): number => subscription?.version ?? 0;
