import { type Answer, isObject, type Raw, textOf } from "../calls/answer.ts";
import { amountOf, type CardGateway, dataOf, listOf, toGatewayAmount } from "./account.ts";

/** How a payer may pay at the hosted checkout. */
export const cardChannels = ["card", "bank_transfer", "mobile_money", "ussd"] as const;
export type CardChannel = (typeof cardChannels)[number];

/** A checkout. */
export type Initialize = {
	amountMinor: bigint;
	currency: string;
	email: string;
	/** Ours: `pay-` and 32 hex digits. */
	reference: string;
	/** Where the payer's browser goes afterwards. */
	callbackUrl: string;
	metadata: { tenant_id: string; source_service: string; order_id: string };
	channels: readonly CardChannel[];
	mobileMoney?: { phone: string; provider: string };
};

/** A checkout of the gateway. */
export type Checkout = { authorizationUrl: string; accessCode: string };

/** Opens a hosted checkout. */
export const initializeTransaction = (
	gateway: CardGateway,
	{ amountMinor, callbackUrl, mobileMoney, ...rest }: Initialize,
): Promise<Answer<Checkout>> =>
	gateway.send(
		{
			...{ operation: "initialize", path: "/transaction/initialize" },
			json: {
				...{ ...rest, amount: toGatewayAmount(amountMinor), callback_url: callbackUrl },
				...(mobileMoney !== undefined && { mobile_money: mobileMoney }),
			},
		},
		(body) => {
			const data = dataOf(body);
			const [authorizationUrl, accessCode] = [textOf(data, "authorization_url"), textOf(data, "access_code")];
			if (authorizationUrl === undefined || accessCode === undefined) return undefined;
			return { authorizationUrl, accessCode };
		},
	);

/** A transaction as the gateway states it. Its status is the gateway's word. */
export type Transaction = {
	id: string;
	status: string;
	reference: string;
	amountMinor: bigint;
	/** What was asked for, if the gateway says so: `amount` may have a fee on it that the payer bore. */
	requestedMinor: bigint | undefined;
	/** Undefined until the gateway states it. */
	feesMinor: bigint | undefined;
	currency: string;
	channel: string | undefined;
	paidAt: string | undefined;
	/** Compared with what is ours, never used to find a tenant. */
	metadata: Raw | undefined;
	data: Raw;
};

/**
 * Reads a transaction of any answer or event; undefined without an id, a status, a reference, an amount or
 * a currency.
 */
function readTransaction(data: Raw | undefined): Transaction | undefined {
	const [id, status, reference] = [textOf(data, "id"), textOf(data, "status"), textOf(data, "reference")];
	const [amountMinor, currency] = [amountOf(data, "amount"), textOf(data, "currency")];
	if (data === undefined || id === undefined || status === undefined || reference === undefined)
		return undefined;
	if (amountMinor === undefined || currency === undefined) return undefined;
	const { metadata } = data;
	return {
		...{ id, status, reference, amountMinor, currency, data },
		requestedMinor: amountOf(data, "requested_amount"),
		feesMinor: amountOf(data, "fees"),
		...{ channel: textOf(data, "channel"), paidAt: textOf(data, "paid_at") },
		metadata: isObject(metadata) ? metadata : undefined,
	};
}

/** Asks for a transaction by our reference. Refused with `not_found` if the gateway has none. */
export const verifyTransaction = (gateway: CardGateway, reference: string): Promise<Answer<Transaction>> =>
	gateway.send(
		{ operation: "verify-transaction", path: `/transaction/verify/${encodeURIComponent(reference)}` },
		(body) => readTransaction(dataOf(body)),
	);

/** A page of a list, from 1. Bounds are ISO 8601. */
export type CardPage = { page: number; perPage: number; from?: string; to?: string };

/** The query of a page. */
export const pageQuery = ({ page, perPage, from, to }: CardPage) => ({
	...{ perPage: String(perPage), page: String(page), from, to },
});

/**
 * Lists transactions. An entry that cannot be read is left out of `transactions`, and counted in
 * `unreadable`.
 */
export const listTransactions = (
	gateway: CardGateway,
	{
		status,
		customer,
		...page
	}: CardPage & { status?: "success" | "failed" | "abandoned"; customer?: string },
): Promise<Answer<{ transactions: Transaction[]; unreadable: number }>> =>
	gateway.send(
		{
			...{ operation: "list-transactions", path: "/transaction" },
			query: { ...pageQuery(page), status, customer },
		},
		readTransactions,
	);

/** Reads a list of transactions; undefined if the answer is not a list. */
export function readTransactions(body: Raw): { transactions: Transaction[]; unreadable: number } | undefined {
	const list = listOf(body);
	if (list === undefined) return undefined;
	const transactions = list.map(readTransaction).filter((one) => one !== undefined);
	return { transactions, unreadable: list.length - transactions.length };
}
