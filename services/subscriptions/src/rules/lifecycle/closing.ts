import type { FullSubscription } from "./subscription.ts";

/** The stored reasons, each with the word of its event. */
const closings = {
	replaced: "replaced",
	withdrawn: "withdrawn",
	cancelled: "cancelled",
	"a change was scheduled": "change_scheduled",
	"another plan was selected": "plan_selected",
	"time was granted": "time_granted",
	unanswered: "unanswered",
} as const;
/** Why this service closed an operation, as it is stored. */
export type Closing = keyof typeof closings;
/** Why nothing is due for an operation any more. */
export type Withdrawal = (typeof closings)[Closing];

/** Reads a stored reason; undefined if it is not one of this service. */
export const closingOf = (text: string | null): Closing | undefined =>
	text !== null && Object.hasOwn(closings, text) ? (text as Closing) : undefined;

/** The operations whose payment was requested before a change and which this service closed in it. */
export function listWithdrawn(
	before: FullSubscription,
	after: FullSubscription,
): Array<{ what: "billing_withdrawn"; operationId: string; because: Withdrawal }> {
	const requested = before.operations.filter(({ status }) => status === "requested");
	return requested.flatMap(({ id }) => {
		const now = after.operations.find((one) => one.id === id);
		const closing = now?.status === "closed" ? closingOf(now.closedBecause) : undefined;
		if (closing === undefined) return [];
		return [{ what: "billing_withdrawn" as const, operationId: id, because: closings[closing] }];
	});
}
