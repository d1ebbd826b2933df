import { type Answer, isObject, type Raw, textOf } from "../calls/answer.ts";
import { amountOf, type CardGateway, dataOf, listOf, toGatewayAmount } from "./account.ts";
import { type CardPage, pageQuery } from "./transactions.ts";

/** A refund as the gateway states it. Its status is the gateway's word. */
export type CardRefund = {
	id: string;
	status: string;
	amountMinor: bigint;
	currency: string | undefined;
	/** The id of its transaction. */
	transactionId: string | undefined;
	/** The reference of its transaction, if the answer has it. */
	transactionReference: string | undefined;
};

/** The transaction is an id, or the object. */
function readRefund(data: Raw | undefined): CardRefund | undefined {
	const [id, status, amountMinor] = [textOf(data, "id"), textOf(data, "status"), amountOf(data, "amount")];
	if (id === undefined || status === undefined || amountMinor === undefined) return undefined;
	const transaction = data?.["transaction"];
	const object = isObject(transaction) ? transaction : undefined;
	return {
		...{ id, status, amountMinor, currency: textOf(data, "currency") },
		transactionId: object === undefined ? textOf(data, "transaction") : textOf(object, "id"),
		transactionReference: textOf(object, "reference"),
	};
}

/**
 * Refunds so much of a transaction; it is never sent twice. Without an amount the gateway would return all of
 * it, with a fee that its payer bore.
 */
export const createRefund = (
	gateway: CardGateway,
	{
		transaction,
		amountMinor,
		currency,
		customerNote,
		merchantNote,
	}: {
		transaction: string;
		amountMinor: bigint;
		currency: string;
		customerNote: string;
		merchantNote: string;
	},
): Promise<Answer<CardRefund>> =>
	gateway.send(
		{
			...{ operation: "refund", path: "/refund", isMoneyOut: true },
			json: {
				...{ transaction, amount: toGatewayAmount(amountMinor), currency },
				...{ customer_note: customerNote, merchant_note: merchantNote },
			},
		},
		(body) => readRefund(dataOf(body)),
	);

/**
 * Lists refunds by when they were made, of a transaction or of all (capability `list_refunds`). An entry that
 * cannot be read is left out of `refunds`, and counted in `unreadable`.
 */
export const listRefunds = (
	gateway: CardGateway,
	{ transaction, ...page }: CardPage & { transaction?: string },
): Promise<Answer<{ refunds: CardRefund[]; unreadable: number }>> =>
	gateway.send(
		{
			...{ operation: "list-refunds", path: "/refund" },
			query: { transaction, ...pageQuery(page) },
		},
		(body) => {
			const listed = listOf(body);
			const refunds = listed?.map(readRefund).filter((one) => one !== undefined) ?? [];
			return listed && { refunds, unreadable: listed.length - refunds.length };
		},
	);
