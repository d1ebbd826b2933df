import { Refusal, unknownReference } from "../answers/refusal.ts";
import { toCustomer } from "../customers/customer.ts";
import { after, dayMs, domain, type EventName, type Gateway, integration } from "../gateway.ts";
import { move, returnsFrom } from "../ledger/move.ts";
import type { Refund, RefundStatus, Transaction } from "../records/tables.ts";
import { toRefunded } from "../transactions/to-transaction.ts";

export type NewRefund = {
	/** The reference, or the id. */
	transaction: string;
	/** Missing: all that is not refunded yet. */
	amount?: number | undefined;
	currency?: string | undefined;
	customerNote?: string | undefined;
	merchantNote?: string | undefined;
};

const bankDaysMs = 9 * dayMs;
const merchantEmail = "sandbox@lango.example";

/** Queues a refund; the clock advances it. Refuses more than is left of a paid transaction. */
export function createRefund(gateway: Gateway, asked: NewRefund): Refund {
	const { store, now, settings } = gateway;
	const transaction = findTransaction(gateway, asked.transaction);
	const amount = asked.amount ?? refundable(gateway, transaction);
	requireRefundable(gateway, transaction, { amount, currency: asked.currency });
	const at = now();
	const { id, reference, currency } = transaction;
	const refund = store.add("refunds", (ordinal) => ({
		...{ ordinal, id: 3_018_000 + ordinal, transactionId: id, amount, currency, status: "pending" },
		customerNote: asked.customerNote ?? `Refund for transaction ${reference}`,
		merchantNote: asked.merchantNote ?? `Refund for transaction ${reference}`,
		reference: null,
		createdAt: at.toISOString(),
		updatedAt: at.toISOString(),
		expectedAt: after(at, bankDaysMs).toISOString(),
		refundedAt: null,
		settlementId: null,
	}));
	publishRefund(gateway, refund);
	gateway.plan("advance_refund", refund.id, after(at, settings.outcomeAfterMs));
	return refund;
}

function findTransaction({ store }: Gateway, text: string): Transaction {
	const found = store.find("transactions", "reference", text) ?? store.find("transactions", "id", text);
	if (found === undefined) throw unknownReference();
	return found;
}

/** What is paid, and neither refunded nor being refunded. */
function refundable({ store }: Gateway, { id, amount, paidAt }: Transaction): number {
	if (paidAt === null) return 0;
	const taken = store.listOf("refunds", "transaction", id).filter(({ status }) => status !== "failed");
	return amount - taken.reduce((sum, refund) => sum + refund.amount, 0);
}

function requireRefundable(
	gateway: Gateway,
	transaction: Transaction,
	{ amount, currency = transaction.currency }: { amount: number; currency?: string | undefined },
): void {
	const { status } = transaction;
	if (status === "reversed" || (status === "success" && refundable(gateway, transaction) === 0))
		throw new Refusal({
			message: "Transaction has been fully reversed",
			code: "transaction_reversed",
			nextStep: "Choose another transaction",
		});
	if (status !== "success")
		throw new Refusal({
			message: "Only a successful transaction can be refunded",
			code: "transaction_not_refundable",
			nextStep: "Refund a transaction whose status is success",
		});
	if (currency === transaction.currency && amount <= refundable(gateway, transaction)) return;
	throw new Refusal({
		message: "Refund amount cannot be more than what is left of the transaction",
		code: "refund_amount_exceeded",
		nextStep: "Ask for a lower amount, in the currency of the transaction",
	});
}

/**
 * Sets the next state of a refund. The payer's e-mail address can choose another outcome than `processed`.
 */
export function advanceRefund(gateway: Gateway, id: string): void {
	const { store, now, settings } = gateway;
	const refund = store.get("refunds", "id", id);
	if (refund.status === "pending") {
		setRefund(gateway, refund, "processing");
		gateway.plan("advance_refund", id, after(now(), settings.outcomeAfterMs));
	}
	if (refund.status === "processing") concludeRefund(gateway, refund, outcomeOf(gateway, refund));
}

/** What a refund can end as; one that needs attention can still be processed, or fail. */
export type RefundOutcome = Extract<RefundStatus, "processed" | "failed" | "needs-attention">;

/** Payers whose refunds end otherwise, by the first part of their e-mail address. */
const outcomes: Readonly<Record<string, RefundOutcome>> = {
	"refund-fails": "failed",
	"refund-waits": "needs-attention",
};

function outcomeOf({ store }: Gateway, { transactionId }: Refund): RefundOutcome {
	const { customerId } = store.get("transactions", "id", transactionId);
	const [mailbox = ""] = store.get("customers", "id", customerId).email.split("@");
	return outcomes[mailbox] ?? "processed";
}

/** Ends a refund. A processed or failed one stays as it is. */
export function concludeRefund(gateway: Gateway, refund: Refund, outcome: RefundOutcome): Refund {
	if (refund.status === "processed" || refund.status === "failed") return refund;
	const concluded = setRefund(gateway, refund, outcome);
	if (outcome !== "processed") return concluded;
	const { transactionId, amount, currency } = concluded;
	const transaction = gateway.store.get("transactions", "id", transactionId);
	const subject = transaction.reference;
	move(gateway, { account: returnsFrom(gateway), currency, amount: -amount, kind: "refund", subject });
	if (isAllRefunded(gateway, transaction))
		gateway.store.change("transactions", transaction, { status: "reversed" });
	return concluded;
}

const isAllRefunded = ({ store }: Gateway, { id, amount }: Transaction): boolean =>
	store
		.listOf("refunds", "transaction", id)
		.filter(({ status }) => status === "processed")
		.reduce((sum, refund) => sum + refund.amount, 0) === amount;

function setRefund(gateway: Gateway, refund: Refund, status: RefundStatus): Refund {
	const at = gateway.now().toISOString();
	const changed = gateway.store.change("refunds", refund, {
		status,
		updatedAt: at,
		...(status === "processed" && { reference: String(132_013_000_000 + refund.ordinal), refundedAt: at }),
	});
	publishRefund(gateway, changed);
	return changed;
}

/** The amount is a text in these events, and a number in the others. */
const textAmounts: readonly RefundStatus[] = ["pending", "processing", "processed"];

function publishRefund(gateway: Gateway, refund: Refund): void {
	const { status, amount, currency, reference, transactionId } = refund;
	const { store } = gateway;
	const transaction = store.get("transactions", "id", transactionId);
	const { email } = store.get("customers", "id", transaction.customerId);
	const event: EventName = `refund.${status}`;
	gateway.publish(event, {
		status,
		transaction_reference: transaction.reference,
		refund_reference: reference,
		amount: textAmounts.includes(status) ? String(amount) : amount,
		currency,
		...(status !== "needs-attention" && { processor: "instant-transfer" }),
		customer: { first_name: null, last_name: null, email },
		integration,
		domain,
		...(status === "needs-attention" && {
			id: String(refund.id),
			customer_note: refund.customerNote,
			merchant_note: refund.merchantNote,
		}),
	});
}

/** The answer of `POST /refund`. */
export const toNewRefund = ({ store }: Gateway, refund: Refund) => ({
	transaction: toRefunded(store.get("transactions", "id", refund.transactionId)),
	integration,
	deducted_amount: 0,
	channel: null,
	merchant_note: refund.merchantNote,
	customer_note: refund.customerNote,
	status: refund.status,
	refunded_by: merchantEmail,
	expected_at: refund.expectedAt,
	currency: refund.currency,
	domain,
	amount: refund.amount,
	fully_deducted: false,
	id: refund.id,
	createdAt: refund.createdAt,
	updatedAt: refund.updatedAt,
});

/** A line of the list of refunds. */
export function toRefund({ store }: Gateway, refund: Refund) {
	const transaction = store.get("transactions", "id", refund.transactionId);
	const isProcessed = refund.status === "processed";
	return {
		integration,
		transaction: refund.transactionId,
		transaction_reference: transaction.reference,
		transaction_amount: transaction.amount,
		dispute: null,
		settlement: refund.settlementId,
		domain,
		amount: refund.amount,
		deducted_amount: isProcessed ? refund.amount : 0,
		fully_deducted: isProcessed,
		currency: refund.currency,
		channel: transaction.channel,
		refund_channel: "instant-transfer",
		refund_type: refund.amount === transaction.amount ? "full" : "partial",
		status: refund.status,
		refunded_by: merchantEmail,
		initiated_by: merchantEmail,
		refunded_at: refund.refundedAt,
		expected_at: refund.expectedAt,
		customer_note: refund.customerNote,
		merchant_note: refund.merchantNote,
		reason: refund.merchantNote,
		bank_reference: refund.reference,
		session_id: null,
		collect_account_number: false,
		customer: toCustomer(store.get("customers", "id", transaction.customerId)),
		id: refund.id,
		createdAt: refund.createdAt,
		updatedAt: refund.updatedAt,
	};
}
