import { notFound, Refusal } from "../answers/refusal.ts";
import { after, dayMs, type Gateway } from "../gateway.ts";
import { codeOf } from "../records/codes.ts";
import type { Authorization, Customer, Plan, Subscription } from "../records/tables.ts";
import { chargeTransaction } from "../transactions/charge-transaction.ts";
import { initializeTransaction } from "../transactions/initialize-transaction.ts";
import { endInvoice, openInvoice } from "./invoice.ts";
import { nextPeriod } from "./plan.ts";
import { toDisabled, toExpiringCard, toNotRenewed, toSubscribed } from "./to-subscription.ts";

export type NewSubscription = {
	/** The code, or the e-mail address. */
	customer: string;
	plan: string;
	authorization?: string | undefined;
	startAt?: Date | undefined;
};

/** An invoice is announced this long before it is charged. */
const announceBeforeMs = 3 * dayMs;

/** Charges a customer's card by a plan: from `startAt` on, or at once. */
export function createSubscription(gateway: Gateway, asked: NewSubscription): Subscription {
	const { store, ids, now } = gateway;
	const plan = store.find("plans", "code", asked.plan);
	if (plan === undefined) throw notFound("Plan");
	const customer = requireCustomer(gateway, asked.customer);
	const card = requireCard(gateway, customer, asked.authorization);
	requireNew(gateway, customer, plan);
	const at = now();
	const subscription = store.add("subscriptions", (ordinal) => ({
		ordinal,
		id: 94_000 + ordinal,
		code: `SUB_${codeOf(ids, { purpose: "subscription", ordinal })}`,
		emailToken: codeOf(ids, { purpose: "email token", ordinal }),
		...{ planId: plan.id, customerId: customer.id, authorizationCode: card.code },
		...{ status: "active", amount: plan.amount, nextPaymentAt: null, openInvoice: null },
		createdAt: at.toISOString(),
	}));
	const planned = planCharge(gateway, subscription, asked.startAt ?? at);
	gateway.publish("subscription.create", toSubscribed(gateway, planned));
	planExpiry(gateway, planned, card);
	if (asked.startAt === undefined) chargeSubscription(gateway, planned.code);
	return store.get("subscriptions", "code", planned.code);
}

function requireCustomer({ store }: Gateway, text: string): Customer {
	const found = store.find("customers", "code", text) ?? store.find("customers", "email", text.toLowerCase());
	if (found === undefined) throw notFound("Customer");
	return found;
}

function requireCard({ store }: Gateway, { id }: Customer, code: string | undefined): Authorization {
	const cards = store.listOf("authorizations", "customer", id).filter(({ isReusable }) => isReusable);
	const found = code === undefined ? cards.at(-1) : cards.find((card) => card.code === code);
	if (found !== undefined) return found;
	throw new Refusal({
		status: 404,
		message: "The customer specified has no saved authorizations",
		code: "authorization_not_found",
		nextStep: "Let the customer pay by card first, and use the authorization_code of that transaction",
	});
}

function requireNew({ store }: Gateway, customer: Customer, plan: Plan): void {
	const isThere = store
		.listOf("subscriptions", "customer", customer.id)
		.some(({ planId, status }) => planId === plan.id && status !== "complete");
	if (!isThere) return;
	throw new Refusal({
		message: "This subscription is already in place.",
		code: "duplicate_subscription",
		nextStep: "Use the subscription that is there",
	});
}

function planCharge(gateway: Gateway, subscription: Subscription, at: Date): Subscription {
	const { code } = subscription;
	gateway.plan("charge_subscription", code, at);
	const announceAt = after(at, -announceBeforeMs);
	if (announceAt > gateway.now()) gateway.plan("announce_invoice", code, announceAt);
	return gateway.store.change("subscriptions", subscription, { nextPaymentAt: at.toISOString() });
}

/** The merchant gets an event at the beginning of the month in which a card expires. */
function planExpiry(gateway: Gateway, { code }: Subscription, card: Authorization): void {
	const at = new Date(`${card.expYear}-${card.expMonth}-01T00:00:00.000Z`);
	if (at > gateway.now()) gateway.plan("announce_expiring_card", code, at);
}

/** Opens the invoice of the next charge if the subscription is active and has no open invoice. */
export function announceInvoice(gateway: Gateway, code: string): void {
	const subscription = gateway.store.get("subscriptions", "code", code);
	if (isRunning(subscription) && subscription.openInvoice === null) openInvoice(gateway, subscription);
}

const isRunning = ({ status }: Subscription) => status === "active" || status === "attention";

/** Charges what is due, and plans the next charge; ends a subscription that is not to be renewed. */
export function chargeSubscription(gateway: Gateway, code: string): void {
	const { store, now } = gateway;
	const due = store.get("subscriptions", "code", code);
	// It was charged, moved or ended since this was planned.
	if (due.nextPaymentAt === null || due.nextPaymentAt > now().toISOString()) return;
	if (due.status === "non-renewing") end(gateway, due);
	else renew(gateway, due, due.nextPaymentAt);
}

function renew(gateway: Gateway, { code }: Subscription, dueAt: string): void {
	const { store, now } = gateway;
	announceInvoice(gateway, code);
	const invoiced = store.get("subscriptions", "code", code);
	const plan = store.get("plans", "id", invoiced.planId);
	const next = planCharge(gateway, invoiced, nextPeriod(new Date(dueAt), plan.interval));
	const card = store.get("authorizations", "code", next.authorizationCode);
	if (isRefused(card, now())) refuseCharge(gateway, next);
	else chargeInvoice(gateway, next, card);
}

function chargeInvoice(gateway: Gateway, subscription: Subscription, card: Authorization): void {
	const { store } = gateway;
	const { code, amount, customerId, planId, openInvoice: invoiceCode } = subscription;
	const { email } = store.get("customers", "id", customerId);
	const { currency } = store.get("plans", "id", planId);
	const asked = { amount, email, currency, subscriptionCode: code };
	const metadata = { invoice_action: "update" };
	const waiting = initializeTransaction(gateway, { ...asked, metadata });
	const paid = store.change("subscriptions", subscription, { status: "active", openInvoice: null });
	const charged = chargeTransaction(gateway, waiting, card);
	endInvoice(gateway, { subscription: paid, invoiceCode, charged });
}

/** The invoice stays open, and the next charge pays it. */
function refuseCharge(gateway: Gateway, subscription: Subscription): void {
	const changed = gateway.store.change("subscriptions", subscription, { status: "attention" });
	const { openInvoice: invoiceCode } = changed;
	endInvoice(gateway, { subscription: changed, invoiceCode, charged: undefined });
}

/** A card that is declined after its first payment, and one that has expired. */
function isRefused({ last4, expYear, expMonth }: Authorization, at: Date): boolean {
	const expiredAt = Date.UTC(Number(expYear), Number(expMonth), 1);
	return last4 === "0341" || at.getTime() >= expiredAt;
}

function end(gateway: Gateway, subscription: Subscription): void {
	const ended = gateway.store.change("subscriptions", subscription, {
		status: "complete",
		nextPaymentAt: null,
	});
	gateway.publish("subscription.disable", toDisabled(gateway, ended));
}

/** Stops a subscription at its next charge. */
export function disableSubscription(gateway: Gateway, code: string, token: string): void {
	const subscription = requireToken(gateway, code, token);
	if (!isRunning(subscription)) throw inactive();
	const changed = gateway.store.change("subscriptions", subscription, { status: "non-renewing" });
	gateway.publish("subscription.not_renew", toNotRenewed(gateway, changed));
}

/** Lets a subscription go on; one that has ended is charged one interval from now. */
export function enableSubscription(gateway: Gateway, code: string, token: string): void {
	const { store, now } = gateway;
	const subscription = requireToken(gateway, code, token);
	if (isRunning(subscription)) return;
	const active = store.change("subscriptions", subscription, { status: "active" });
	if (active.nextPaymentAt !== null) return;
	const { interval } = store.get("plans", "id", active.planId);
	planCharge(gateway, active, nextPeriod(now(), interval));
}

function requireToken({ store }: Gateway, code: string, token: string): Subscription {
	const found = store.find("subscriptions", "code", code);
	if (found?.emailToken === token) return found;
	throw inactive();
}

const inactive = () =>
	new Refusal({
		status: 404,
		message: "Subscription with code not found or already inactive",
		code: "subscription_not_found",
		nextStep: "Use the code and the email_token of an active subscription",
	});

/** Publishes that the card of a subscription expires in this month. */
export function announceExpiringCard(gateway: Gateway, code: string): void {
	const subscription = gateway.store.get("subscriptions", "code", code);
	if (isRunning(subscription))
		gateway.publish("subscription.expiring_cards", [toExpiringCard(gateway, subscription)]);
}
