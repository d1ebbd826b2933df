/** What is to be paid, once. Amounts are in the currency's lowest unit. */
export type Intent = {
	tenantId: string;
	id: string;
	/** `tenant`: it collects for its own trade. `platform`: it pays Lango. */
	payee: Payee;
	sourceService: string;
	operationId: string;
	operationKind: string | null;
	orderId: string | null;
	description: string;
	amountMinor: bigint;
	currency: string;
	receivedMinor: bigint;
	refundedMinor: bigint;
	status: IntentStatus;
	/** The attempt of the asking service that was received last. */
	askedAttempt: number;
	/** The time of the event, or of the request, that asked last. */
	askedAt: Date;
	/** The attempt of the asking service that was answered as failed last; 0: none. */
	failedAttempt: number;
	accountCode: string;
	channels: readonly string[];
	customerUserId: string | null;
	customer: Customer;
	returnUrl: string | null;
	metadata: Readonly<Record<string, unknown>>;
	expiresAt: Date;
	endedAt: Date | null;
	version: number;
	createdAt: Date;
};

/** How an intent can be paid; at a paybill or till by its account code, too. */
export const intentChannels = ["push", "card", "bank_transfer", "mobile_money", "ussd"] as const;

export type IntentChannel = (typeof intentChannels)[number];

export type Payee = "tenant" | "platform";

/** The payer, as far as the asking service knows. */
export type Customer = { email?: string | undefined; phone?: string | undefined; name?: string | undefined };

export type IntentStatus =
	| "requires_payment"
	| "processing"
	| "partially_paid"
	| "succeeded"
	| "expired"
	| "cancelled";

const open: ReadonlySet<IntentStatus> = new Set(["requires_payment", "processing", "partially_paid"]);

/** Whether it can still be paid. */
export const isOpen = ({ status }: Pick<Intent, "status">): boolean => open.has(status);

/** What has not been received yet. */
export const outstandingOf = ({ amountMinor, receivedMinor }: Intent): bigint =>
	amountMinor > receivedMinor ? amountMinor - receivedMinor : 0n;
