import type { Operation } from "../money/operation.ts";
import type { Announcement, FullSubscription } from "./subscription.ts";

/** What became of a subscription without a person: an entry of the audit log. */
export type Outcome = { action: string; subject: string; detail: Readonly<Record<string, unknown>> };

type Subscription = Pick<FullSubscription, "operations" | "plan" | "tenantId">;

/**
 * What happened by payments and by time. `due` is the subscription after the steps of time: another plan
 * came into effect by then.
 */
export function listOutcomes(
	before: Subscription,
	{ due, after }: { due: Subscription; after: Subscription },
	announcements: readonly Announcement[],
): Outcome[] {
	const { tenantId } = after;
	const hasOtherPlan = due.plan.code !== before.plan.code;
	const change = { before: { plan: before.plan.code }, after: { plan: due.plan.code } };
	return [
		...(hasOtherPlan ? [{ action: "plan.took_effect", subject: tenantId, detail: change }] : []),
		...after.operations.flatMap((operation) =>
			outcomeOfPayment(
				before.operations.find(({ id }) => id === operation.id),
				operation,
			),
		),
		...announcements.flatMap((announcement) => outcomeOfTime(after, announcement)),
	];
}

function outcomeOfPayment(before: Operation | undefined, after: Operation): Outcome[] {
	const { id, plan, amountMinor, currency, failure } = after;
	const detail = { plan: plan.code, amount_minor: Number(amountMinor), currency };
	if (after.paymentId !== null && after.paymentId !== before?.paymentId)
		return [{ action: "payment.received", subject: id, detail }];
	if (failure !== null && failure !== before?.failure)
		return [{ action: "payment.failed", subject: id, detail: { ...detail, reason: failure } }];
	return [];
}

function outcomeOfTime({ tenantId, plan }: Subscription, announcement: Announcement): Outcome[] {
	const about = { subject: tenantId };
	if (announcement.what === "expired") {
		const { because } = announcement;
		return [{ ...about, action: "subscription.expired", detail: { plan: plan.code, because } }];
	}
	if (announcement.what === "grace_ended")
		return [{ ...about, action: "subscription.grace_ended", detail: { plan: plan.code } }];
	return [];
}
