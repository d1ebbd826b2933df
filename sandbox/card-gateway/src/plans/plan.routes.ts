import Type from "typebox";
import { amountShape, apiRoute, currencyShape, nameShape, textShape } from "../answers/api-route.ts";
import { invalidParameter } from "../answers/refusal.ts";
import { createPlan, toPlan } from "./plan.ts";
import { createSubscription, disableSubscription, enableSubscription } from "./subscription.ts";
import { toNewSubscription } from "./to-subscription.ts";

const newPlan = Type.Object({
	name: nameShape,
	interval: textShape,
	amount: amountShape,
	currency: Type.Optional(currencyShape),
	description: Type.Optional(textShape),
});
const newSubscription = Type.Object({
	customer: textShape,
	plan: textShape,
	authorization: Type.Optional(textShape),
	start_date: Type.Optional(Type.String({ maxLength: 40 })),
});
const codeAndToken = Type.Object({ code: textShape, token: textShape });

/** Plans and subscriptions, §4.4. */
export const planRoutes = [
	apiRoute({
		operation: "create_plan",
		method: "POST",
		url: "/plan",
		summary: "Make a plan by which cards are charged",
		body: newPlan,
		answer: (gateway, { body: { currency = "KES", ...plan } }) => ({
			message: "Plan created",
			data: toPlan(createPlan(gateway, { ...plan, currency })),
		}),
	}),
	apiRoute({
		operation: "create_subscription",
		method: "POST",
		url: "/subscription",
		summary: "Charge a customer's card by a plan",
		body: newSubscription,
		answer: (gateway, { body: { start_date: start, ...asked } }) => {
			const startAt = start === undefined ? undefined : readStart(start, gateway.now());
			const made = createSubscription(gateway, { ...asked, startAt });
			return {
				message: "Subscription successfully created",
				data: toNewSubscription(gateway, made, startAt?.toISOString() ?? made.createdAt),
			};
		},
	}),
	apiRoute({
		operation: "disable_subscription",
		method: "POST",
		url: "/subscription/disable",
		summary: "Stop a subscription at its next charge",
		body: codeAndToken,
		answer: (gateway, { body: { code, token } }) => {
			disableSubscription(gateway, code, token);
			return { message: "Subscription disabled successfully" };
		},
	}),
	apiRoute({
		operation: "enable_subscription",
		method: "POST",
		url: "/subscription/enable",
		summary: "Let a subscription go on",
		body: codeAndToken,
		answer: (gateway, { body: { code, token } }) => {
			enableSubscription(gateway, code, token);
			return { message: "Subscription enabled successfully" };
		},
	}),
];

/** A start in the past means now. */
function readStart(text: string, now: Date): Date | undefined {
	const at = new Date(text);
	if (Number.isNaN(at.getTime())) throw invalidParameter("Invalid start date");
	return at > now ? at : undefined;
}
