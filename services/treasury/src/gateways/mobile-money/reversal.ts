import type { Answer } from "../calls/answer.ts";
import { initiatorOf, type MobileMoney, type ResultUrls, wholeUnits } from "./account.ts";
import { type Conversation, readConversation } from "./read-response.ts";

/** A payment that is returned to its payer, within 24 hours of it. */
export type Reversal = ResultUrls & {
	/** Our id of the request: the gateway is asked by it if its answer is lost. */
	originatorId: string;
	receipt: string;
	amountMinor: bigint;
	remarks: string;
};

/**
 * Reverses a payment to the shortcode. The result comes by a callback; an unknown reversal is never sent
 * again.
 */
export async function reverseTransaction(
	account: MobileMoney,
	{ originatorId, receipt, amountMinor, remarks, resultUrl, timeoutUrl }: Reversal,
): Promise<Answer<Conversation>> {
	const initiator = initiatorOf(account);
	if ("is" in initiator) return initiator;
	return account.post(
		{
			...{ operation: "reversal", path: "reversal/v1/request", isMoneyOut: true },
			json: {
				OriginatorConversationID: originatorId,
				Initiator: initiator.name,
				SecurityCredential: initiator.credential,
				CommandID: "TransactionReversal",
				TransactionID: receipt,
				Amount: String(wholeUnits(amountMinor)),
				ReceiverParty: account.shortcode,
				// Spelled so by the gateway.
				RecieverIdentifierType: account.profile.settings.identifier_types.reversal,
				ResultURL: resultUrl,
				QueueTimeOutURL: timeoutUrl,
				Remarks: remarks,
				Occasion: "",
			},
		},
		readConversation,
	);
}
