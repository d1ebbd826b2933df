import type { OperationName } from "../callbacks/fault-words.ts";
import { sendCallback } from "../callbacks/send-callback.ts";
import type { Call } from "../gateway/operation.ts";
import { refusals, requestId } from "../gateway/refusal.ts";
import { placeholderReceipt } from "../ledger/receipt.ts";
import { toNairobi } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import { type Result, toTimeout } from "./result.ts";

/** A request whose result comes by a callback to its ResultURL. */
export type GatewayRequest = {
	conversationId: string;
	originatorId: string;
	operation: OperationName;
	ordinal: number;
	shortcode: string;
	at: string;
	resultUrl: string;
	timeoutUrl: string;
	/** How it ended: known at once, and sent by the callback. Null: it is not settled yet. */
	resultCode: number | string | null;
	/** The receipt, or its placeholder. */
	transactionId: string;
};

type Opening = {
	operation: OperationName;
	shortcode: string;
	originatorId: string | null;
	resultUrl: string;
	timeoutUrl: string;
};

/** Records a request. Throws `Refusal` if its OriginatorConversationID was used before. */
export function openRequest({ sandbox, ordinal, at }: Call, opening: Opening): GatewayRequest {
	const { requests, originators } = sandbox.tables;
	const originatorId = opening.originatorId ?? requestId(sandbox.ids, ordinal, "originator");
	if (originators.get(originatorId) !== undefined) throw refusals.duplicate();
	const { year, two } = toNairobi(at);
	const day = `${year}${two.month}${two.day}`;
	const conversationId = `AG_${day}_${sandbox.ids.hex(ordinal, "conversation", 20)}`;
	originators.put(originatorId, { conversationId });
	return requests.put(conversationId, {
		...{ ...opening, conversationId, originatorId, ordinal, at: at.toISOString() },
		...{ resultCode: null, transactionId: placeholderReceipt(at) },
	});
}

/** The answer to an accepted request. */
export const toAccepted = ({ conversationId, originatorId }: GatewayRequest) => ({
	ConversationID: conversationId,
	OriginatorConversationID: originatorId,
	ResponseCode: "0",
	ResponseDescription: "Accept the service request successfully.",
});

/** Records how a request ended. */
export const closeRequest = (
	{ tables }: Sandbox,
	request: GatewayRequest,
	end: Partial<Pick<GatewayRequest, "resultCode" | "transactionId">>,
): GatewayRequest => tables.requests.put(request.conversationId, { ...request, ...end });

/** Sends the result. Resolves when it has been answered or has failed. */
export const sendResult = (sandbox: Sandbox, request: GatewayRequest, toResult: Result): Promise<void> =>
	sendCallback(sandbox, {
		...{ operation: request.operation, ordinal: request.ordinal, url: request.resultUrl },
		body: (changes) => ({ Result: toResult(request, changes) }),
		forged: () => ({ Result: toResult({ ...request, resultCode: 0, transactionId: "FORGED0000" }, {}) }),
		timeout: { url: request.timeoutUrl, body: toTimeout(request) },
	});
