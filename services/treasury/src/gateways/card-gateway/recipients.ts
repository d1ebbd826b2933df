import { type Answer, isObject, type Raw, textOf } from "../calls/answer.ts";
import { type CardGateway, dataOf, listOf } from "./account.ts";

/** Where a payout goes. */
export type RecipientType = "bank" | "mobile_money";

/** A recipient at the gateway. */
export type CardRecipient = { recipientCode: string; bankName: string | undefined };

/** Creates a recipient; the same account again returns the same code. */
export const createRecipient = (
	gateway: CardGateway,
	{
		type,
		name,
		accountNumber,
		bankCode,
		currency,
	}: { type: RecipientType; name: string; accountNumber: string; bankCode: string; currency: string },
): Promise<Answer<CardRecipient>> =>
	gateway.send(
		{
			...{ operation: "create-recipient", path: "/transferrecipient" },
			json: {
				...{ type: gateway.profile.settings.recipient_types[type], name, currency },
				...{ account_number: accountNumber, bank_code: bankCode },
			},
		},
		(body) => {
			const data = dataOf(body);
			const recipientCode = textOf(data, "recipient_code");
			const details = data?.["details"];
			if (recipientCode === undefined) return undefined;
			return { recipientCode, bankName: textOf(isObject(details) ? details : undefined, "bank_name") };
		},
	);

/** A bank or a provider of mobile money, to which payouts go. */
export type Bank = { code: string; name: string; type: string | undefined; currency: string | undefined };

/** What is listed: the banks of a country, or its providers of mobile money. */
export type BankQuery = { country?: string; type?: string; payWithBankTransfer?: boolean };

/** Lists banks and providers of mobile money. */
export const listBanks = (
	gateway: CardGateway,
	{ country, type, payWithBankTransfer }: BankQuery,
): Promise<Answer<{ banks: Bank[] }>> =>
	gateway.send(
		{
			...{ operation: "list-banks", path: "/bank" },
			query: {
				...{ country, type },
				pay_with_bank_transfer: payWithBankTransfer === undefined ? undefined : String(payWithBankTransfer),
			},
		},
		(body) => {
			const banks = listOf(body)
				?.map(readBank)
				.filter((one) => one !== undefined);
			return banks && { banks };
		},
	);

/** A bank that is no longer active is left out. */
function readBank(data: Raw): Bank | undefined {
	const [code, name] = [textOf(data, "code"), textOf(data, "name")];
	if (code === undefined || name === undefined || data["active"] === false) return undefined;
	return { code, name, type: textOf(data, "type"), currency: textOf(data, "currency") };
}
