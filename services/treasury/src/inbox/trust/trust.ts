import type { Attempt } from "../../payments/attempt.ts";
import type { CallbackToken } from "../callback-token.ts";
import type { Delivery } from "../delivery.ts";
import type { AttemptStatement } from "../reading.ts";

const beforeMs = 5 * 60_000;
const afterMs = 5 * 60_000;

/** Whether a token opens this delivery: known, of its route and profile, and not over. Pure. */
export const opens = (
	{ route, profileId, expiresAt }: CallbackToken,
	delivery: Pick<Delivery, "route" | "profileId" | "receivedAt">,
): boolean =>
	route === delivery.route &&
	profileId === delivery.profileId &&
	(expiresAt === undefined || delivery.receivedAt < expiresAt);

/**
 * Whether what is said can be about this attempt: its ids, phone, amount and time. A token alone is not
 * enough: what does not fit is a hint, and the gateway is asked. Pure.
 */
export function fits(statement: AttemptStatement, attempt: Attempt, now: Date): boolean {
	const { said, phone } = statement;
	if (!agrees(attempt.checkoutRequestId, statement.checkoutRequestId)) return false;
	if (!agrees(attempt.merchantRequestId, statement.merchantRequestId)) return false;
	if (said.kind !== "paid") return true;
	if (!agrees(attempt.phone, phone) || !agrees(attempt.amountMinor, said.amountMinor)) return false;
	return isInTime(said.paidAt, { sentAt: attempt.submittedAt ?? attempt.createdAt, now });
}

/** Whether a time that is said is between the sending of the request and now (design 8.3). Pure. */
export function isInTime(said: Date | undefined, { sentAt, now }: { sentAt: Date; now: Date }): boolean {
	if (said === undefined) return true;
	return said.getTime() >= sentAt.getTime() - beforeMs && said.getTime() <= now.getTime() + afterMs;
}

/** What one side does not know cannot disagree. */
const agrees = <T>(ours: T | null, said: T | undefined): boolean =>
	ours === null || said === undefined || ours === said;
