import { toAuthorization, toCustomer } from "../customers/customer.ts";
import { domain, type Gateway, integration } from "../gateway.ts";
import type { Subscription } from "../records/tables.ts";
import { cronOf, toPlanObject } from "./plan.ts";

/** A subscription as each answer and event shows it. */

const partsOf = ({ store }: Gateway, { planId, customerId, authorizationCode }: Subscription) => ({
	plan: store.get("plans", "id", planId),
	customer: toCustomer(store.get("customers", "id", customerId)),
	card: store.get("authorizations", "code", authorizationCode),
});

function toCore(gateway: Gateway, subscription: Subscription) {
	const { plan, customer, card } = partsOf(gateway, subscription);
	const at = new Date(subscription.nextPaymentAt ?? subscription.createdAt);
	return {
		domain,
		status: subscription.status,
		subscription_code: subscription.code,
		amount: subscription.amount,
		cron_expression: cronOf(at, plan.interval),
		next_payment_date: subscription.nextPaymentAt,
		open_invoice: subscription.openInvoice,
		plan: toPlanObject(plan),
		authorization: toAuthorization(card),
		customer,
		created_at: subscription.createdAt,
	};
}

/** The answer of `POST /subscription`. */
export function toNewSubscription(gateway: Gateway, subscription: Subscription, startAt: string) {
	const { plan, customer, card } = partsOf(gateway, subscription);
	return {
		customer: customer.id,
		plan: plan.id,
		integration,
		domain,
		start: Math.floor(new Date(startAt).getTime() / 1000),
		status: subscription.status,
		quantity: 1,
		amount: subscription.amount,
		authorization: toAuthorization(card),
		subscription_code: subscription.code,
		email_token: subscription.emailToken,
		cron_expression: cronOf(new Date(startAt), plan.interval),
		next_payment_date: subscription.nextPaymentAt,
		open_invoice: subscription.openInvoice,
		invoice_limit: 0,
		split_code: null,
		cancelledAt: null,
		easy_cron_id: null,
		metadata: null,
		id: subscription.id,
		createdAt: subscription.createdAt,
		updatedAt: subscription.createdAt,
	};
}

/** The data of `subscription.create`. */
export const toSubscribed = (gateway: Gateway, subscription: Subscription) => ({
	...toCore(gateway, subscription),
	createdAt: subscription.createdAt,
});

/** The data of `subscription.disable`. */
export const toDisabled = (gateway: Gateway, subscription: Subscription) => ({
	...toCore(gateway, subscription),
	email_token: subscription.emailToken,
});

/** The data of `subscription.not_renew`. */
export const toNotRenewed = (gateway: Gateway, subscription: Subscription) => ({
	...toDisabled(gateway, subscription),
	id: subscription.id,
	next_payment_date: null,
	integration,
	invoices: [],
	invoices_history: [],
	invoice_limit: 0,
	split_code: null,
	most_recent_invoice: null,
});

/** An item of `subscription.expiring_cards`. */
export function toExpiringCard(gateway: Gateway, subscription: Subscription) {
	const { plan, customer, card } = partsOf(gateway, subscription);
	const { id, first_name, last_name, email, customer_code } = customer;
	return {
		expiry_date: `${card.expMonth}/${card.expYear}`,
		description: `${card.brand} ending with ${card.last4}`,
		brand: card.brand,
		subscription: {
			id: subscription.id,
			subscription_code: subscription.code,
			amount: subscription.amount,
			next_payment_date: subscription.nextPaymentAt,
			plan: { interval: plan.interval, id: plan.id, name: plan.name, plan_code: plan.code },
		},
		customer: { id, first_name, last_name, email, customer_code },
	};
}
