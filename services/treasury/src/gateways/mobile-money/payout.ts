import type { Answer } from "../calls/answer.ts";
import { initiatorOf, type MobileMoney, type ResultUrls, wholeUnits } from "./account.ts";
import { type Conversation, readConversation } from "./read-response.ts";

/** What the gateway calls a payout to a customer. */
export type CustomerCommand = "BusinessPayment" | "SalaryPayment" | "PromotionPayment";
/** What it calls a payout to a business. */
export type BusinessCommand =
	| "BusinessPayBill"
	| "MerchantToMerchantTransfer"
	| "MerchantTransferFromMerchantToWorking";

type Payout = ResultUrls & {
	/** Ours, stored before the call: by it a payout is found whose answer never came. */
	originatorId: string;
	amountMinor: bigint;
	remarks: string;
};

/** Pays to the wallet of a phone. The result comes by a callback; an unknown payout is never sent again. */
export async function payCustomer(
	account: MobileMoney,
	payout: Payout & { command: CustomerCommand; phone: string; occasion?: string },
): Promise<Answer<Conversation>> {
	return payPerson(account, { ...payout, to: payout.phone, operation: "pay-customer" });
}

/** Pays to the till of a person: the same call, with the number of the till. */
export async function payPersonalTill(
	account: MobileMoney,
	payout: Payout & { till: string; occasion?: string },
): Promise<Answer<Conversation>> {
	return payPerson(account, {
		...{ ...payout, to: payout.till, command: "BusinessPayment", operation: "pay-personal-till" },
	});
}

type ToPerson = Payout & { command: CustomerCommand; to: string; occasion?: string; operation: string };

async function payPerson(account: MobileMoney, payout: ToPerson): Promise<Answer<Conversation>> {
	const initiator = initiatorOf(account);
	if ("is" in initiator) return initiator;
	const { operation, occasion = "" } = payout;
	return account.post(
		{
			...{ operation, path: "b2c/v1/paymentrequest", isMoneyOut: true },
			json: {
				OriginatorConversationID: payout.originatorId,
				InitiatorName: initiator.name,
				SecurityCredential: initiator.credential,
				CommandID: payout.command,
				Amount: wholeUnits(payout.amountMinor),
				PartyA: account.shortcode,
				PartyB: payout.to,
				Remarks: payout.remarks,
				QueueTimeOutURL: payout.timeoutUrl,
				ResultURL: payout.resultUrl,
				Occasion: occasion,
			},
		},
		readConversation,
	);
}

/** A payout to a paybill or a till, or from the shortcode's own merchant account to its working account. */
type ToBusiness = Payout & {
	command: BusinessCommand;
	to: string;
	/** Of the receiver: a till has another type of identifier than a paybill. */
	toKind: "paybill" | "till";
	accountReference: string;
};

/** Pays to a business. The result comes by a callback; an unknown payout is never sent again. */
export async function payBusiness(account: MobileMoney, payout: ToBusiness): Promise<Answer<Conversation>> {
	const initiator = initiatorOf(account);
	if ("is" in initiator) return initiator;
	const { identifier_types: types } = account.profile.settings;
	return account.post(
		{
			...{ operation: "pay-business", path: "b2b/v1/paymentrequest", isMoneyOut: true },
			json: {
				OriginatorConversationID: payout.originatorId,
				Initiator: initiator.name,
				SecurityCredential: initiator.credential,
				CommandID: payout.command,
				SenderIdentifierType: types.paybill,
				// Spelled so by the gateway.
				RecieverIdentifierType: types[payout.toKind],
				Amount: String(wholeUnits(payout.amountMinor)),
				PartyA: account.shortcode,
				PartyB: payout.to,
				AccountReference: payout.accountReference,
				Remarks: payout.remarks,
				QueueTimeOutURL: payout.timeoutUrl,
				ResultURL: payout.resultUrl,
			},
		},
		readConversation,
	);
}
