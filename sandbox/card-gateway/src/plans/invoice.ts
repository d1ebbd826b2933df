import { toAuthorization, toCustomer } from "../customers/customer.ts";
import { domain, type Gateway } from "../gateway.ts";
import { codeOf } from "../records/codes.ts";
import type { Invoice, Subscription, Transaction } from "../records/tables.ts";
import { cronOf, nextPeriod } from "./plan.ts";

/** Opens the invoice of the next charge of a subscription, and publishes `invoice.create`. */
export function openInvoice(gateway: Gateway, subscription: Subscription): void {
	const { store, ids, now } = gateway;
	const { interval } = store.get("plans", "id", subscription.planId);
	const start = new Date(subscription.nextPaymentAt ?? now());
	const invoice = store.add("invoices", (ordinal) => ({
		ordinal,
		code: `INV_${codeOf(ids, { purpose: "invoice", ordinal })}`,
		subscriptionCode: subscription.code,
		amount: subscription.amount,
		periodStart: start.toISOString(),
		periodEnd: nextPeriod(start, interval).toISOString(),
		...{ status: "pending", paidAt: null, transactionReference: null, createdAt: now().toISOString() },
	}));
	const changed = store.change("subscriptions", subscription, { openInvoice: invoice.code });
	gateway.publish("invoice.create", toInvoice(gateway, invoice, changed));
}

type Ending = {
	subscription: Subscription;
	invoiceCode: string | null;
	/** Undefined: the charge was refused. */
	charged: Transaction | undefined;
};

/** Publishes the result of the charge of an invoice. */
export function endInvoice(gateway: Gateway, { subscription, invoiceCode, charged }: Ending): void {
	const invoice = gateway.store.get("invoices", "code", invoiceCode ?? "");
	if (charged === undefined) {
		gateway.publish("invoice.payment_failed", toInvoice(gateway, invoice, subscription));
		return;
	}
	const { paidAt, reference: transactionReference } = charged;
	const paid = gateway.store.change("invoices", invoice, { status: "success", paidAt, transactionReference });
	gateway.publish("invoice.update", toInvoice(gateway, paid, subscription));
}

/** The data of the three events of an invoice. */
function toInvoice({ store }: Gateway, invoice: Invoice, subscription: Subscription) {
	const { transactionReference: reference } = invoice;
	const charged = reference === null ? undefined : store.get("transactions", "reference", reference);
	const plan = store.get("plans", "id", subscription.planId);
	const card = store.get("authorizations", "code", subscription.authorizationCode);
	return {
		domain,
		invoice_code: invoice.code,
		amount: invoice.amount,
		period_start: invoice.periodStart,
		period_end: invoice.periodEnd,
		status: invoice.status,
		paid: invoice.status === "success",
		paid_at: invoice.paidAt,
		description: null,
		authorization: toAuthorization(card),
		subscription: {
			status: subscription.status,
			subscription_code: subscription.code,
			email_token: subscription.emailToken,
			amount: subscription.amount,
			cron_expression: cronOf(new Date(invoice.periodStart), plan.interval),
			next_payment_date: subscription.nextPaymentAt,
			open_invoice: subscription.openInvoice,
		},
		customer: toCustomer(store.get("customers", "id", subscription.customerId)),
		transaction:
			charged === undefined
				? {}
				: {
						reference: charged.reference,
						status: charged.status,
						amount: charged.amount,
						currency: charged.currency,
					},
		created_at: invoice.createdAt,
	};
}
