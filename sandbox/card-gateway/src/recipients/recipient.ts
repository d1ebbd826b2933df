import { invalidParameter } from "../answers/refusal.ts";
import { domain, type Gateway, integration } from "../gateway.ts";
import { codeOf } from "../records/codes.ts";
import type { Recipient } from "../records/tables.ts";
import { banks } from "./bank.ts";

export type NewRecipient = {
	type: string;
	name: string;
	accountNumber: string;
	bankCode: string;
	currency: string;
	description?: string | undefined;
	email?: string | undefined;
	metadata?: unknown;
};

/** Registers who can receive transfers, §2.4. The same account again is the same recipient. */
export function createRecipient(gateway: Gateway, asked: NewRecipient): Recipient {
	const { store, ids, now } = gateway;
	const bank = banks.find(({ code, currency }) => code === asked.bankCode && currency === asked.currency);
	if (bank === undefined || bank.type !== asked.type)
		throw invalidParameter("Bank is invalid", "Use a code of GET /bank that fits type and currency");
	if (!/^\+?\d{8,20}$/.test(asked.accountNumber))
		throw invalidParameter("Account number is invalid", "Provide 8 to 20 digits");
	const same = store
		.listOf("recipients", "account", asked.accountNumber)
		.find(({ bankCode }) => bankCode === bank.code);
	if (same !== undefined) return same;
	return store.add("recipients", (ordinal) => ({
		ordinal,
		id: 56_824_000 + ordinal,
		code: `RCP_${codeOf(ids, { purpose: "recipient", ordinal })}`,
		...{ type: bank.type, name: asked.name, description: asked.description ?? "" },
		email: asked.email ?? null,
		accountNumber: asked.accountNumber,
		bankCode: bank.code,
		bankName: bank.name,
		currency: bank.currency,
		metadata: asked.metadata ?? null,
		createdAt: now().toISOString(),
	}));
}

const toDetails = ({ accountNumber, name, bankCode, bankName }: Recipient) => ({
	authorization_code: null,
	account_number: accountNumber,
	account_name: name,
	bank_code: bankCode,
	bank_name: bankName,
});

/** The answer of `POST /transferrecipient`. */
export const toNewRecipient = (recipient: Recipient) => ({
	...toRecipient(recipient),
	createdAt: recipient.createdAt,
	updatedAt: recipient.createdAt,
});

/** The recipient within a transfer, without its times. */
export const toRecipient = (recipient: Recipient) => ({
	active: true,
	currency: recipient.currency,
	description: recipient.description,
	domain,
	email: recipient.email,
	id: recipient.id,
	integration,
	metadata: recipient.metadata,
	name: recipient.name,
	recipient_code: recipient.code,
	type: recipient.type,
	is_deleted: false,
	details: toDetails(recipient),
});
