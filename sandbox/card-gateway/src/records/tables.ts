import type { Channel } from "../fees/fee.ts";
import type { AccountBalance, Movement } from "../ledger/movement.ts";

/** Times are ISO 8601 texts. `ordinal` counts the rows of a table from 1; ids and codes follow from it. */
type Row = { ordinal: number };

export type Customer = Row & { id: number; code: string; email: string; phone: string | null };

/** A way to charge a customer again, if it is reusable. */
export type Authorization = Row & {
	code: string;
	customerId: number;
	channel: Channel;
	bin: string;
	last4: string;
	expMonth: string;
	expYear: string;
	brand: string;
	bank: string;
	isReusable: boolean;
	signature: string;
};

export type TransactionStatus = "success" | "failed" | "abandoned" | "ongoing" | "pending" | "reversed";

export type Transaction = Row & {
	id: number;
	reference: string;
	accessCode: string;
	status: TransactionStatus;
	/** What was asked for, and once it is paid what was paid: the fault `mutate_amount` makes it less. */
	amount: number;
	requestedAmount: number;
	currency: string;
	customerId: number;
	channels: readonly Channel[];
	/** Undefined: the caller gave none. */
	metadata?: unknown;
	callbackUrl: string | null;
	mobileMoney: { phone: string; provider: string | null } | null;
	gatewayResponse: string;
	channel: Channel | null;
	fees: number | null;
	createdAt: string;
	paidAt: string | null;
	history: ReadonlyArray<{ type: string; message: string; time: number }>;
	authorizationCode: string | null;
	subscriptionCode: string | null;
	pageSlug: string | null;
	settlementId: number | null;
};

export type RefundStatus = "pending" | "processing" | "processed" | "failed" | "needs-attention";

export type Refund = Row & {
	id: number;
	transactionId: number;
	amount: number;
	currency: string;
	status: RefundStatus;
	customerNote: string;
	merchantNote: string;
	/** The reference at the bank; null until the refund is processed. */
	reference: string | null;
	createdAt: string;
	updatedAt: string;
	expectedAt: string;
	refundedAt: string | null;
	/** The settlement that deducts it. */
	settlementId: number | null;
};

export type Recipient = Row & {
	id: number;
	code: string;
	type: string;
	name: string;
	description: string;
	email: string | null;
	accountNumber: string;
	bankCode: string;
	bankName: string;
	currency: string;
	metadata: unknown;
	createdAt: string;
};

export type TransferStatus = "success" | "failed" | "pending" | "reversed" | "otp";

export type Transfer = Row & {
	id: number;
	code: string;
	reference: string;
	amount: number;
	currency: string;
	reason: string;
	recipientId: number;
	status: TransferStatus;
	fee: number;
	otp: string | null;
	otpExpiresAt: string | null;
	/** How many one-time passwords it was given. */
	otpCount: number;
	createdAt: string;
	updatedAt: string;
};

export type Settlement = Row & {
	id: number;
	status: "pending" | "success";
	currency: string;
	/** What was paid by the customers. */
	processed: number;
	fees: number;
	/** Refunds and lost disputes. */
	deductions: number;
	/** What the transaction ids were charged when it differs from what their webhooks said. */
	corrections: Readonly<Record<string, number>>;
	date: string;
	createdAt: string;
	updatedAt: string;
};

export type Plan = Row & {
	id: number;
	code: string;
	name: string;
	interval: string;
	amount: number;
	currency: string;
	description: string | null;
	createdAt: string;
};

type SubscriptionStatus = "active" | "non-renewing" | "attention" | "complete";

export type Subscription = Row & {
	id: number;
	code: string;
	emailToken: string;
	planId: number;
	customerId: number;
	authorizationCode: string;
	status: SubscriptionStatus;
	amount: number;
	nextPaymentAt: string | null;
	openInvoice: string | null;
	createdAt: string;
};

export type Invoice = Row & {
	code: string;
	subscriptionCode: string;
	amount: number;
	periodStart: string;
	periodEnd: string;
	status: "pending" | "success";
	paidAt: string | null;
	transactionReference: string | null;
	createdAt: string;
};

export type PaymentPage = Row & {
	id: number;
	slug: string;
	name: string;
	description: string;
	/** Null: the payer chooses. */
	amount: number | null;
	currency: string;
	metadata?: unknown;
	createdAt: string;
};

export type Dispute = Row & {
	id: number;
	transactionId: number;
	amount: number;
	currency: string;
	status: "awaiting-merchant-feedback" | "resolved";
	resolution: "merchant-accepted" | "auto-accepted" | "declined" | null;
	category: string;
	createdAt: string;
	updatedAt: string;
	dueAt: string;
	resolvedAt: string | null;
	settlementId: number | null;
};

/** Work that is due at a time of the gateway's clock. */
export type Task = Row & { kind: TaskKind; key: string; at: string; isDone: boolean };
export type TaskKind =
	| "settle"
	| "pay_out_settlement"
	| "remind_of_dispute"
	| "close_dispute"
	| "advance_refund"
	| "conclude_transfer"
	| "announce_invoice"
	| "charge_subscription"
	| "announce_expiring_card";

/** Everything that the gateway keeps. */
export type Tables = {
	customers: Customer;
	authorizations: Authorization;
	transactions: Transaction;
	refunds: Refund;
	recipients: Recipient;
	transfers: Transfer;
	settlements: Settlement;
	plans: Plan;
	subscriptions: Subscription;
	invoices: Invoice;
	pages: PaymentPage;
	disputes: Dispute;
	movements: Movement;
	accounts: AccountBalance;
	tasks: Task;
};

/** The members by which rows of a table are found. */
export const uniques = {
	customers: ["id", "code", "email"],
	authorizations: ["code"],
	transactions: ["reference", "accessCode", "id"],
	refunds: ["id"],
	recipients: ["id", "code"],
	transfers: ["reference", "code", "id"],
	settlements: ["id"],
	plans: ["id", "code"],
	subscriptions: ["code"],
	invoices: ["code"],
	pages: ["slug"],
	disputes: ["id"],
	movements: [],
	accounts: ["name"],
	tasks: [],
} as const satisfies { [T in keyof Tables]: readonly Extract<keyof Tables[T], string>[] };

/** The name of a group of rows, which are found together. */
export type GroupKey = string | number;
/** The group of what the next settlement takes. */
export const unsettled = "unsettled";

const isLost = ({ resolution }: Dispute) => resolution !== null && resolution !== "declined";

/** The groups of each row; undefined: none. */
export const groups = {
	authorizations: { customer: ({ customerId }: Authorization) => customerId },
	transactions: {
		settlement: ({ settlementId, paidAt }: Transaction) =>
			paidAt === null ? undefined : (settlementId ?? unsettled),
	},
	refunds: {
		transaction: ({ transactionId }: Refund) => transactionId,
		settlement: ({ settlementId, status }: Refund) =>
			status === "processed" ? (settlementId ?? unsettled) : undefined,
	},
	disputes: {
		transaction: ({ transactionId }: Dispute) => transactionId,
		settlement: (row: Dispute) => (isLost(row) ? (row.settlementId ?? unsettled) : undefined),
		status: ({ status }: Dispute) => status,
	},
	recipients: { account: ({ accountNumber }: Recipient) => accountNumber },
	subscriptions: { customer: ({ customerId }: Subscription) => customerId },
	transfers: { status: ({ status }: Transfer) => (status === "otp" ? status : undefined) },
} as const satisfies { [T in keyof Tables]?: Record<string, (row: Tables[T]) => GroupKey | undefined> };
