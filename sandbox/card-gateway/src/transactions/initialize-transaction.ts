import { invalidParameter, Refusal } from "../answers/refusal.ts";
import { customerOf } from "../customers/customer.ts";
import { type Channel, channels } from "../fees/fee.ts";
import type { Gateway } from "../gateway.ts";
import { codeOf } from "../records/codes.ts";
import type { Transaction } from "../records/tables.ts";

/** What the caller of `POST /transaction/initialize` asks for, §4.4. */
export type NewTransaction = {
	amount: number;
	email: string;
	currency: string;
	reference?: string | undefined;
	callbackUrl?: string | undefined;
	metadata?: unknown;
	channels?: readonly string[] | undefined;
	mobileMoney?: { phone: string; provider?: string | undefined } | undefined;
	pageSlug?: string | undefined;
	subscriptionCode?: string | undefined;
};

/**
 * Adds a transaction that waits for its payer. Until the checkout is opened it counts as abandoned, as at the
 * real gateway. Refuses a reference that was used before.
 */
export function initializeTransaction(gateway: Gateway, asked: NewTransaction): Transaction {
	const { store, ids, now } = gateway;
	const reference = asked.reference === "" ? undefined : asked.reference;
	if (reference !== undefined) requireReference(gateway, reference);
	const allowed = readChannels(asked.channels);
	const callbackUrl = readCallback(asked.callbackUrl);
	const metadata = readMetadata(asked.metadata);
	const customer = customerOf(gateway, asked.email, asked.mobileMoney?.phone);
	return store.add("transactions", (ordinal) => ({
		ordinal,
		id: 4_099_260_000 + ordinal,
		reference: reference ?? codeOf(ids, { purpose: "reference", ordinal, length: 10 }),
		accessCode: codeOf(ids, { purpose: "access code", ordinal }),
		status: "abandoned",
		amount: asked.amount,
		requestedAmount: asked.amount,
		currency: asked.currency,
		customerId: customer.id,
		channels: allowed,
		...(metadata !== undefined && { metadata }),
		callbackUrl,
		mobileMoney: asked.mobileMoney
			? { phone: asked.mobileMoney.phone, provider: asked.mobileMoney.provider ?? null }
			: null,
		gatewayResponse: "The transaction was not completed",
		channel: null,
		fees: null,
		createdAt: now().toISOString(),
		paidAt: null,
		history: [],
		authorizationCode: null,
		subscriptionCode: asked.subscriptionCode ?? null,
		pageSlug: asked.pageSlug ?? null,
		settlementId: null,
	}));
}

function requireReference({ store }: Gateway, reference: string): void {
	if (!/^[\w.=-]+$/.test(reference))
		throw new Refusal({
			message: "Invalid Transaction Reference",
			code: "invalid_reference",
			nextStep: "Use letters, digits, and - . = only",
		});
	if (store.find("transactions", "reference", reference) === undefined) return;
	throw new Refusal({
		message: "Duplicate Transaction Reference",
		code: "duplicate_reference",
		nextStep: "Provide a unique reference in order to initialize the transaction",
	});
}

function readChannels(asked: readonly string[] | undefined): readonly Channel[] {
	if (asked === undefined || asked.length === 0) return channels;
	const known = channels.filter((channel) => asked.includes(channel));
	if (known.length === 0) throw invalidParameter("No active channel", `Use some of ${channels.join(", ")}`);
	return known;
}

function readCallback(asked: string | undefined): string | null {
	if (asked === undefined || asked === "") return null;
	const url = URL.parse(asked);
	if (url === null || !["http:", "https:"].includes(url.protocol))
		throw invalidParameter("Invalid callback URL", "Provide an absolute http or https address");
	return url.href;
}

/** A text that contains JSON is taken as what it contains. */
function readMetadata(asked: unknown): unknown {
	if (typeof asked !== "string") return asked ?? undefined;
	try {
		return JSON.parse(asked);
	} catch (error) {
		if (error instanceof SyntaxError) return asked === "" ? undefined : asked;
		throw error;
	}
}
