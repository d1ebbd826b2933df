import Type from "typebox";
import { amountShape, apiRoute, currencyShape, textShape } from "../answers/api-route.ts";
import { cursorPageOf, pageMembers, pageOf, rangeOf, readCursor } from "../answers/paging.ts";
import { unknownReference } from "../answers/refusal.ts";
import type { Gateway } from "../gateway.ts";
import type { Transaction } from "../records/tables.ts";
import { initializeTransaction } from "./initialize-transaction.ts";
import { toListed, toVerified } from "./to-transaction.ts";

const newTransaction = Type.Object({
	amount: amountShape,
	email: Type.String({ format: "email", maxLength: 254 }),
	currency: Type.Optional(currencyShape),
	reference: Type.Optional(Type.String({ maxLength: 100 })),
	callback_url: Type.Optional(Type.String({ maxLength: 2_000 })),
	metadata: Type.Optional(Type.Unknown()),
	channels: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 })),
	mobile_money: Type.Optional(
		Type.Object({
			phone: Type.String({ maxLength: 20 }),
			provider: Type.Optional(Type.String({ maxLength: 40 })),
		}),
	),
});

const listQuery = Type.Object({
	...pageMembers,
	status: Type.Optional(Type.String({ maxLength: 20 })),
	/** The id, or the code. */
	customer: Type.Optional(Type.String({ maxLength: 40 })),
	/** The `next` of the page before, in place of `page`. */
	next: Type.Optional(textShape),
});

/** Transactions, §4.4. */
export const transactionRoutes = [
	apiRoute({
		operation: "initialize",
		method: "POST",
		url: "/transaction/initialize",
		summary: "Start a payment: the payer continues at `authorization_url`",
		body: newTransaction,
		answer: (gateway, { body }) => {
			const { callback_url: callbackUrl, mobile_money: mobileMoney, currency = "KES", ...rest } = body;
			const asked = { ...rest, currency, callbackUrl, mobileMoney };
			const { accessCode, reference } = initializeTransaction(gateway, asked);
			const authorizationUrl = `${gateway.settings.publicUrl}/checkout/${accessCode}`;
			return {
				message: "Authorization URL created",
				data: { authorization_url: authorizationUrl, access_code: accessCode, reference },
			};
		},
	}),
	apiRoute({
		operation: "verify",
		method: "GET",
		url: "/transaction/verify/:reference",
		summary: "What became of a payment",
		answer: (gateway, { params }) => {
			const found = gateway.store.find("transactions", "reference", params["reference"] ?? "");
			if (found === undefined) throw unknownReference();
			return { message: "Verification successful", data: toVerified(gateway, found) };
		},
	}),
	apiRoute({
		operation: "list_transactions",
		method: "GET",
		url: "/transaction",
		summary: "Transactions, the newest first: by `next` or by `page`",
		query: listQuery,
		answer: (gateway, { query: { next, ...query } }) => {
			const { store } = gateway;
			const isWanted = matches(gateway, query);
			if (query.page !== undefined && next === undefined) {
				const found = store.list("transactions").filter(isWanted).reverse();
				const { data, meta } = pageOf(found, query);
				const volume = { total_volume: found.reduce((sum, { amount }) => sum + amount, 0) };
				return toAnswer(gateway, data, { ...meta, ...volume });
			}
			const before = readCursor(next, (id) => store.find("transactions", "id", id));
			const found = store.newest("transactions", { before, isWanted, max: query.perPage + 1 });
			const { data, meta } = cursorPageOf(found, query);
			return toAnswer(gateway, data, meta);
		},
	}),
];

const toAnswer = (gateway: Gateway, data: readonly Transaction[], meta: object) => ({
	message: "Transactions retrieved",
	data: data.map((transaction) => toListed(gateway, transaction)),
	meta,
});

type Filter = { status?: string; customer?: string; from?: string; to?: string };

function matches({ store }: Gateway, { status, customer, ...range }: Filter) {
	const isInRange = rangeOf(range);
	const wanted =
		customer === undefined
			? undefined
			: (store.find("customers", "id", customer) ?? store.find("customers", "code", customer));
	return (transaction: Transaction) =>
		isInRange(transaction.createdAt) &&
		(status === undefined || transaction.status === status) &&
		(customer === undefined || transaction.customerId === wanted?.id);
}
