import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { type Reading, unreadable } from "../../../inbox/reading.ts";
import type { SubscriptionSaid } from "../../../outcomes/evidence/card-evidence.ts";
import { readInstant } from "../read-instant.ts";

type SaidBy = (data: unknown) => SubscriptionSaid | undefined;

/** Returns the reader of an event about a card subscription. */
export const readSubscription =
	(saidBy: SaidBy) =>
	(data: unknown): Reading =>
		readingOf(data, data, saidBy(data));

/** Returns the reader of an event about an invoice of a card subscription. The money comes by its charge. */
export const readInvoice =
	(saidBy: SaidBy) =>
	(data: unknown): Reading =>
		readingOf(data, memberAt(data, "subscription"), saidBy(data));

function readingOf(data: unknown, subscription: unknown, said: SubscriptionSaid | undefined): Reading {
	const subscriptionCode = textOf(memberAt(subscription, "subscription_code"));
	if (subscriptionCode === undefined) return unreadable;
	return {
		kind: "card_subscription",
		event: {
			...{ subscriptionCode, said, planCode: textOf(memberAt(data, "plan", "plan_code")) },
			customerCode: textOf(memberAt(data, "customer", "customer_code")),
			emailToken: textOf(memberAt(subscription, "email_token")),
			nextPaymentAt: readInstant(textOf(memberAt(subscription, "next_payment_date"))),
		},
	};
}

/** An invoice is updated when it is paid, and for other reasons. */
export const saidByInvoice: SaidBy = (data) =>
	memberAt(data, "paid") === true ? { kind: "charged" } : undefined;

/** It has charged all that it should, or was stopped. */
export const saidByEnd: SaidBy = (data) =>
	/^completed?$/.test(textOf(memberAt(data, "status")) ?? "") ? { kind: "completed" } : { kind: "disabled" };

/** Reads the event about cards that expire soon: of all tenants, in one list. */
export function readExpiring(data: unknown): Reading {
	if (!Array.isArray(data)) return unreadable;
	const codes = data.map((item) => textOf(memberAt(item, "subscription", "subscription_code")));
	return { kind: "cards_expiring", subscriptionCodes: codes.filter((code) => code !== undefined) };
}
