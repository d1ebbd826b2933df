import { toAuthorization, toCustomer } from "../customers/customer.ts";
import { domain, type Gateway } from "../gateway.ts";
import { planOf, toPlanObject } from "../plans/plan.ts";
import type { Authorization, Transaction } from "../records/tables.ts";

/** A transaction as each answer and event shows it: the gateway's own answers differ from each other. */

const source = {
	source: "merchant_api",
	type: "api",
	identifier: null,
	entry_point: "transaction_initialize",
};

/** The answer of verify, §2.4. */
export function toVerified(gateway: Gateway, transaction: Transaction) {
	const { international_format_phone, ...customer } = customerOf(gateway, transaction);
	const plan = planOf(gateway, transaction);
	return {
		...toCore(transaction),
		receipt_number: null,
		metadata: transaction.metadata ?? "",
		log: toLog(transaction),
		fees_split: null,
		authorization: toAuthorization(authorizationOf(gateway, transaction)),
		customer: { ...customer, international_format_phone },
		plan: plan === undefined ? null : plan.code,
		split: {},
		order_id: null,
		paidAt: transaction.paidAt,
		createdAt: transaction.createdAt,
		requested_amount: transaction.requestedAmount,
		pos_transaction_data: null,
		source: null,
		fees_breakdown: null,
		connect: null,
		transaction_date: transaction.createdAt,
		plan_object: plan === undefined ? {} : toPlanObject(plan),
		subaccount: {},
	};
}

/** A line of the list of transactions, and of a settlement, whose lines have no log and no `connect`. */
export function toListed(gateway: Gateway, transaction: Transaction) {
	const { international_format_phone: _, ...customer } = customerOf(gateway, transaction);
	const plan = planOf(gateway, transaction);
	return {
		...toCore(transaction),
		metadata: transaction.metadata ?? null,
		log: toLog(transaction),
		fees_split: null,
		customer,
		authorization: toAuthorization(authorizationOf(gateway, transaction)),
		plan: plan === undefined ? {} : toPlanObject(plan),
		split: {},
		subaccount: {},
		order_id: null,
		paidAt: transaction.paidAt,
		createdAt: transaction.createdAt,
		requested_amount: transaction.requestedAmount,
		source,
		connect: null,
		pos_transaction_data: null,
	};
}

/** The data of `charge.success`. */
export function toCharged(gateway: Gateway, transaction: Transaction) {
	const plan = planOf(gateway, transaction);
	const log = toLog(transaction);
	return {
		...toCore(transaction),
		metadata: transaction.metadata ?? 0,
		log: log && { ...log, authentication: null, channel: null },
		fees_split: null,
		customer: customerOf(gateway, transaction),
		authorization: toAuthorization(authorizationOf(gateway, transaction)),
		plan: plan === undefined ? {} : toPlanObject(plan),
		// The way to the subscription whose charge this is; the gateway chose the reference.
		...(transaction.subscriptionCode !== null && {
			subscription: { subscription_code: transaction.subscriptionCode },
		}),
		subaccount: {},
		split: {},
		order_id: null,
		paidAt: transaction.paidAt,
		requested_amount: transaction.requestedAmount,
		pos_transaction_data: null,
		source,
	};
}

/** The transaction within a dispute. */
export const toDisputed = (transaction: Transaction) => ({
	...toCore(transaction),
	metadata: transaction.metadata ?? "",
	log: null,
	fees_split: null,
	authorization: {},
	customer: { international_format_phone: null },
	plan: {},
	subaccount: {},
	split: {},
	order_id: null,
	paidAt: transaction.paidAt,
	requested_amount: transaction.requestedAmount,
	pos_transaction_data: null,
});

/** The transaction within a new refund. */
export const toRefunded = ({ id, reference, amount, paidAt, channel, currency }: Transaction) => ({
	...{ id, domain, reference, amount, paid_at: paidAt, channel, currency },
	authorization: { exp_month: null, exp_year: null, account_name: null },
	customer: { international_format_phone: null },
	plan: {},
	subaccount: { currency: null },
	split: {},
	order_id: null,
	paidAt,
	pos_transaction_data: null,
	source: null,
	fees_breakdown: null,
});

const toCore = (transaction: Transaction) => ({
	id: transaction.id,
	domain,
	status: transaction.status,
	reference: transaction.reference,
	amount: transaction.amount,
	message: null,
	gateway_response: transaction.gatewayResponse,
	paid_at: transaction.paidAt,
	created_at: transaction.createdAt,
	channel: transaction.channel ?? "card",
	currency: transaction.currency,
	ip_address: "127.0.0.1",
	fees: transaction.fees,
});

/** What the payer did at the checkout; null before. */
function toLog({ history, createdAt, status }: Transaction) {
	if (history.length === 0) return null;
	return {
		start_time: Math.floor(new Date(createdAt).getTime() / 1000),
		time_spent: history.at(-1)?.time ?? 0,
		attempts: history.filter(({ type }) => type === "action").length,
		errors: history.filter(({ type }) => type === "error").length,
		success: status === "success" || status === "reversed",
		mobile: false,
		input: [],
		history,
	};
}

const customerOf = ({ store }: Gateway, { customerId }: Transaction) =>
	toCustomer(store.get("customers", "id", customerId));

const authorizationOf = (
	{ store }: Gateway,
	{ authorizationCode }: Transaction,
): Authorization | undefined =>
	authorizationCode === null ? undefined : store.find("authorizations", "code", authorizationCode);
