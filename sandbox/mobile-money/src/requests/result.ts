import type { Changes } from "../callbacks/send-callback.ts";
import type { GatewayRequest } from "./request.ts";

/**
 * Builds the member `Result` of a callback. Types of values differ between the operations, as they really do.
 */
export type Result = (request: GatewayRequest, changes: Changes) => object;

export type Parameter = { Key: string; Value?: unknown };

/** The texts of result codes. */
export const resultTexts: Readonly<Record<string, string>> = {
	0: "The service request is processed successfully.",
	1: "The balance is insufficient for the transaction.",
	17: "Rule limited.",
	2001: "The initiator information is invalid.",
	2028: "The request is not permitted according to product assignment.",
	2032: "The transaction receipt number does not exist.",
	2040: "Credit Party customer type (Unregistered or Registered Customer) can't be supported by the service.",
	8006: "The security credential is locked.",
	R000001: "The transaction has already been reversed.",
	R000002: "The OriginalTransactionID is invalid.",
};

/** The first members of a result with a number as its code. */
export const toHead = (request: GatewayRequest) => ({
	ResultType: 0,
	ResultCode: request.resultCode ?? 0,
	ResultDesc: resultTexts[String(request.resultCode ?? 0)],
	OriginatorConversationID: request.originatorId,
	ConversationID: request.conversationId,
	TransactionID: request.transactionId,
});

/** The same with text as its code. */
export const toTextHead = (request: GatewayRequest) => ({
	...toHead(request),
	ResultType: "0",
	ResultCode: String(request.resultCode ?? 0),
});

export const toParameters = (parameters: readonly Parameter[]) => ({
	ResultParameters: { ResultParameter: parameters },
});

/** One item is sent as an object, and not as a list. */
export const toReference = (item: Parameter) => ({ ReferenceData: { ReferenceItem: item } });

export const timeoutItem = ({ timeoutUrl }: GatewayRequest): Parameter => ({
	Key: "QueueTimeoutURL",
	Value: timeoutUrl,
});

/** What comes to QueueTimeOutURL. The gateway does not document it. */
export const toTimeout = (request: GatewayRequest) => ({
	Result: {
		...toHead({ ...request, resultCode: 1 }),
		ResultDesc: "Request timeout",
	},
});
