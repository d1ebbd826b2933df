import type { Answer } from "../calls/answer.ts";
import { initiatorOf, type MobileMoney, type ResultUrls } from "./account.ts";
import { type Conversation, readConversation } from "./read-response.ts";

/** What is asked about: a receipt, or our own id of a request whose receipt never came. */
type About = { receipt: string } | { originatorId: string };

const identifierTypeOf = ({ kind, profile }: MobileMoney) => profile.settings.identifier_types[kind];

/** Asks for the state of a transaction. The result comes by a callback. */
export async function queryTransaction(
	account: MobileMoney,
	{ about, resultUrl, timeoutUrl, remarks }: ResultUrls & { about: About; remarks: string },
): Promise<Answer<Conversation>> {
	const initiator = initiatorOf(account);
	if ("is" in initiator) return initiator;
	return account.post(
		{
			...{ operation: "transaction-status", path: "transactionstatus/v1/query", isQuery: true },
			json: {
				Initiator: initiator.name,
				SecurityCredential: initiator.credential,
				CommandID: "TransactionStatusQuery",
				...("receipt" in about
					? { TransactionID: about.receipt }
					: { OriginalConversationID: about.originatorId }),
				PartyA: account.shortcode,
				IdentifierType: identifierTypeOf(account),
				ResultURL: resultUrl,
				QueueTimeOutURL: timeoutUrl,
				Remarks: remarks,
				Occasion: "",
			},
		},
		readConversation,
	);
}

/** Asks for the balances of the shortcode. The result comes by a callback. */
export async function queryBalance(
	account: MobileMoney,
	{ resultUrl, timeoutUrl, remarks }: ResultUrls & { remarks: string },
): Promise<Answer<Conversation>> {
	const initiator = initiatorOf(account);
	if ("is" in initiator) return initiator;
	return account.post(
		{
			...{ operation: "account-balance", path: "accountbalance/v1/query", isQuery: true },
			json: {
				Initiator: initiator.name,
				SecurityCredential: initiator.credential,
				CommandID: "AccountBalance",
				PartyA: account.shortcode,
				IdentifierType: identifierTypeOf(account),
				Remarks: remarks,
				QueueTimeOutURL: timeoutUrl,
				ResultURL: resultUrl,
			},
		},
		readConversation,
	);
}
