import { notFound, Refusal } from "../answers/refusal.ts";
import { toCustomer } from "../customers/customer.ts";
import { after, dayMs, domain, type Gateway, hourMs } from "../gateway.ts";
import { move, returnsFrom } from "../ledger/move.ts";
import type { Dispute, Transaction } from "../records/tables.ts";
import { toDisputed } from "../transactions/to-transaction.ts";

export type NewDispute = {
	reference: string;
	/** Missing: the whole transaction. */
	amount?: number | undefined;
	category?: string | undefined;
	dueInHours?: number | undefined;
};

/** The merchant is reminded this long before a dispute is due. */
const remindBeforeMs = dayMs;

/**
 * Raises a chargeback. Without an answer until it is due it is lost. Refuses what was not paid, or is
 * disputed already.
 */
export function raiseDispute(gateway: Gateway, asked: NewDispute): Dispute {
	const { store, now } = gateway;
	const transaction = store.find("transactions", "reference", asked.reference);
	if (transaction === undefined) throw notFound("Transaction");
	const { amount = transaction.amount, category = "chargeback", dueInHours = 48 } = asked;
	requireDisputable(gateway, transaction, amount);
	const at = now().toISOString();
	const dueAt = after(at, dueInHours * hourMs);
	const dispute = store.add("disputes", (ordinal) => ({
		...{ ordinal, id: 358_000 + ordinal, transactionId: transaction.id, amount },
		...{ currency: transaction.currency, status: "awaiting-merchant-feedback", resolution: null, category },
		...{ createdAt: at, updatedAt: at, dueAt: dueAt.toISOString(), resolvedAt: null, settlementId: null },
	}));
	gateway.publish("charge.dispute.create", toDispute(gateway, dispute));
	if (dueInHours * hourMs > remindBeforeMs)
		gateway.plan("remind_of_dispute", dispute.id, after(dueAt, -remindBeforeMs));
	gateway.plan("close_dispute", dispute.id, dueAt);
	return dispute;
}

function requireDisputable({ store }: Gateway, { id, status, amount }: Transaction, asked: number): void {
	const isOpen = store.listOf("disputes", "transaction", id).some((other) => other.status !== "resolved");
	if (status === "success" && asked <= amount && !isOpen) return;
	throw new Refusal({
		message: "Only a paid transaction can be disputed, once at a time, for at most its amount",
		code: "dispute_refused",
		nextStep: "Choose another transaction",
	});
}

/** Reminds the merchant of a dispute that is still open. */
export function remindOfDispute(gateway: Gateway, id: string): void {
	const dispute = gateway.store.get("disputes", "id", id);
	if (dispute.status !== "resolved") gateway.publish("charge.dispute.remind", toDispute(gateway, dispute));
}

type Decision = {
	resolution: NonNullable<Dispute["resolution"]>;
	/** What the payer gets; missing: all that is disputed. */
	amount?: number | undefined;
};

/**
 * Ends a dispute: `declined` is won by the merchant; of any other the next settlement deducts what was
 * accepted.
 */
export function resolveDispute(gateway: Gateway, id: string, { resolution, amount }: Decision): Dispute {
	const { store, now } = gateway;
	const dispute = store.find("disputes", "id", id);
	if (dispute === undefined) throw notFound("Dispute");
	if (dispute.status === "resolved") return dispute;
	const at = now().toISOString();
	const resolved = store.change("disputes", dispute, {
		...{ status: "resolved", resolution, resolvedAt: at, updatedAt: at, amount: amount ?? dispute.amount },
	});
	if (resolution !== "declined") takeBack(gateway, resolved);
	gateway.publish("charge.dispute.resolve", toDispute(gateway, resolved));
	return resolved;
}

function takeBack(gateway: Gateway, { transactionId, amount, currency }: Dispute): void {
	const transaction = gateway.store.get("transactions", "id", transactionId);
	const subject = transaction.reference;
	move(gateway, { account: returnsFrom(gateway), currency, amount: -amount, kind: "dispute", subject });
	if (amount === transaction.amount)
		gateway.store.change("transactions", transaction, { status: "reversed" });
}

/** A dispute as answers show it: their names of its times are not those of its events. */
export function toShown(gateway: Gateway, dispute: Dispute) {
	const { created_at, updated_at, transaction, ...shown } = toDispute(gateway, dispute);
	return {
		...shown,
		transaction: {
			...transaction,
			authorization: { receiver_bank_account_number: null, receiver_bank: null },
			source: null,
			fees_breakdown: null,
			connect: null,
		},
		...{ createdAt: created_at, updatedAt: updated_at },
	};
}

/** The data of the three events of a dispute. */
export function toDispute({ store }: Gateway, dispute: Dispute) {
	const transaction = store.get("transactions", "id", dispute.transactionId);
	const customer = store.get("customers", "id", transaction.customerId);
	const card = store.find("authorizations", "code", transaction.authorizationCode ?? "");
	return {
		id: dispute.id,
		refund_amount: dispute.amount,
		currency: dispute.currency,
		status: dispute.status,
		resolution: dispute.resolution,
		domain,
		transaction: toDisputed(transaction),
		transaction_reference: null,
		category: dispute.category,
		customer: toCustomer(customer),
		bin: card?.bin ?? null,
		last4: card?.last4 ?? null,
		dueAt: dispute.dueAt,
		resolvedAt: dispute.resolvedAt,
		evidence: null,
		attachments: null,
		note: null,
		history: [{ status: "pending", by: customer.email, createdAt: dispute.createdAt }],
		messages: [
			{
				sender: customer.email,
				body: "Customer complained about debit without value",
				createdAt: dispute.createdAt,
			},
		],
		created_at: dispute.createdAt,
		updated_at: dispute.updatedAt,
	};
}
