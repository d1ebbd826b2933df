import Type from "typebox";
import { amountShape, apiRoute, currencyShape, textShape } from "../answers/api-route.ts";
import { pageMembers, pageOf, rangeOf } from "../answers/paging.ts";
import { createRefund, toNewRefund, toRefund } from "./refund.ts";

const newRefund = Type.Object({
	/** The reference, or the id: a number is read as a text. */
	transaction: Type.String({ minLength: 1, maxLength: 100 }),
	amount: Type.Optional(amountShape),
	currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
	customer_note: Type.Optional(textShape),
	merchant_note: Type.Optional(textShape),
});

const listQuery = Type.Object({
	...pageMembers,
	/** The id, or the reference. */
	transaction: Type.Optional(textShape),
	currency: Type.Optional(currencyShape),
});

/** Refunds, §4.4, and their list. */
export const refundRoutes = [
	apiRoute({
		operation: "refund",
		method: "POST",
		url: "/refund",
		summary: "Give back all or a part of a payment",
		body: newRefund,
		answer: (gateway, { body: { customer_note: customerNote, merchant_note: merchantNote, ...asked } }) => ({
			message: "Refund has been queued for processing",
			data: toNewRefund(gateway, createRefund(gateway, { ...asked, customerNote, merchantNote })),
		}),
	}),
	apiRoute({
		operation: "list_refunds",
		method: "GET",
		url: "/refund",
		summary: "Refunds, the newest first",
		query: listQuery,
		answer: (gateway, { query: { transaction, currency, ...page } }) => {
			const { store } = gateway;
			const isInRange = rangeOf(page);
			const of =
				transaction === undefined
					? undefined
					: (store.find("transactions", "reference", transaction) ??
						store.find("transactions", "id", transaction));
			const all =
				transaction === undefined
					? store.list("refunds")
					: store.listOf("refunds", "transaction", of?.id ?? "unknown");
			const found = all.filter(
				(refund) => isInRange(refund.createdAt) && (currency === undefined || refund.currency === currency),
			);
			const { data, meta } = pageOf(found.reverse(), page);
			return { message: "Refunds retrieved", data: data.map((refund) => toRefund(gateway, refund)), meta };
		},
	}),
];
