import { type Answer, textOf } from "../calls/answer.ts";
import { type CardGateway, dataOf, toGatewayAmount } from "./account.ts";
import { readInstant } from "./read-instant.ts";

/** Creates a plan: an amount that is charged at an interval, such as `monthly`. */
export const createPlan = (
	gateway: CardGateway,
	{
		name,
		interval,
		amountMinor,
		currency,
	}: { name: string; interval: string; amountMinor: bigint; currency: string },
): Promise<Answer<{ planCode: string }>> =>
	gateway.send(
		{
			...{ operation: "create-plan", path: "/plan" },
			json: { name, interval, amount: toGatewayAmount(amountMinor), currency },
		},
		(body) => {
			const planCode = textOf(dataOf(body), "plan_code");
			return planCode === undefined ? undefined : { planCode };
		},
	);

/** A card subscription at the gateway. Its token is a secret: it ends the subscription. */
export type CardSubscriptionIds = { subscriptionCode: string; emailToken: string };

/** Subscribes a customer's card to a plan: from `startAt` on, or at once. */
export const createSubscription = (
	gateway: CardGateway,
	{
		startAt,
		...codes
	}: { customer: string; plan: string; authorization: string; startAt?: Date | undefined },
): Promise<Answer<CardSubscriptionIds & { nextPaymentAt?: Date }>> =>
	gateway.send(
		{
			...{ operation: "create-subscription", path: "/subscription" },
			json: { ...codes, ...(startAt !== undefined && { start_date: startAt.toISOString() }) },
		},
		(body) => {
			const data = dataOf(body);
			const [subscriptionCode, emailToken] = [textOf(data, "subscription_code"), textOf(data, "email_token")];
			if (subscriptionCode === undefined || emailToken === undefined) return undefined;
			const nextPaymentAt = readInstant(textOf(data, "next_payment_date"));
			return { subscriptionCode, emailToken, ...(nextPaymentAt !== undefined && { nextPaymentAt }) };
		},
	);

const switching = (
	gateway: CardGateway,
	operation: "disable" | "enable",
	{ subscriptionCode: code, emailToken: token }: CardSubscriptionIds,
): Promise<Answer<Record<never, never>>> =>
	gateway.send(
		{ operation: `${operation}-subscription`, path: `/subscription/${operation}`, json: { code, token } },
		() => ({}),
	);

/** Stops a subscription. */
export const disableSubscription = (gateway: CardGateway, ids: CardSubscriptionIds) =>
	switching(gateway, "disable", ids);

/** Continues a stopped subscription. */
export const enableSubscription = (gateway: CardGateway, ids: CardSubscriptionIds) =>
	switching(gateway, "enable", ids);
