import Type from "typebox";
import { apiRoute, currencyShape, nameShape, textShape } from "../answers/api-route.ts";
import { cursorPageOf, readCursor } from "../answers/paging.ts";
import { type Bank, banks, toBank } from "./bank.ts";
import { createRecipient, toNewRecipient } from "./recipient.ts";

const newRecipient = Type.Object({
	type: Type.Enum(["nuban", "mobile_money"], { type: "string" }),
	name: nameShape,
	account_number: Type.String({ minLength: 1, maxLength: 40 }),
	bank_code: Type.String({ minLength: 1, maxLength: 20 }),
	currency: Type.Optional(currencyShape),
	description: Type.Optional(textShape),
	email: Type.Optional(Type.String({ maxLength: 254 })),
	metadata: Type.Optional(Type.Unknown()),
});

const bankQuery = Type.Object({
	country: Type.Optional(textShape),
	currency: Type.Optional(textShape),
	type: Type.Optional(textShape),
	pay_with_bank_transfer: Type.Optional(Type.Boolean()),
	perPage: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
	next: Type.Optional(textShape),
});

/** Recipients of transfers and their banks, §4.4. */
export const recipientRoutes = [
	apiRoute({
		operation: "create_recipient",
		method: "POST",
		url: "/transferrecipient",
		summary: "Register who can receive transfers",
		status: 201,
		body: newRecipient,
		answer: (gateway, { body }) => {
			const { account_number: accountNumber, bank_code: bankCode, currency = "KES", ...rest } = body;
			const made = createRecipient(gateway, { ...rest, currency, accountNumber, bankCode });
			return { message: "Transfer recipient created successfully", data: toNewRecipient(made) };
		},
	}),
	apiRoute({
		operation: "list_banks",
		method: "GET",
		url: "/bank",
		summary: "Banks and providers of mobile money",
		query: bankQuery,
		answer: (_gateway, { query: { perPage, next, ...filter } }) => {
			const found = banks.filter(matches(filter));
			const start = readCursor(next, (id) => found.findIndex((bank) => bank.id === id) + 1) ?? 0;
			const { data, meta } = cursorPageOf(found.slice(start), { perPage });
			return { message: "Banks retrieved", data: data.map(toBank), meta };
		},
	}),
];

type Filter = {
	country?: string;
	currency?: string;
	type?: string;
	pay_with_bank_transfer?: boolean;
};

/** `pay_with_bank_transfer=false` narrows nothing, as at the real gateway. */
const matches = (filter: Filter) => (bank: Bank) =>
	(filter.country === undefined || bank.country.toLowerCase() === filter.country.toLowerCase()) &&
	(filter.currency === undefined || bank.currency === filter.currency) &&
	(filter.type === undefined || bank.type === filter.type) &&
	(filter.pay_with_bank_transfer !== true || bank.hasTransfer);
