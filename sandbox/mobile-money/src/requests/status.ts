import { nameOfParty } from "../accounts/name-of-party.ts";
import * as field from "../gateway/fields.ts";
import { type Body, readBody } from "../gateway/fields.ts";
import type { Operation } from "../gateway/operation.ts";
import { getOwnShortcode } from "../gateway/own-shortcode.ts";
import { invalidField } from "../gateway/refusal.ts";
import { printCharge } from "../ledger/charge.ts";
import type { Movement } from "../ledger/movement.ts";
import { printStamp } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import { findInitiatorFault } from "./initiator.ts";
import { closeRequest, type GatewayRequest, openRequest, sendResult, toAccepted } from "./request.ts";
import { resultTexts, toParameters, toReference } from "./result.ts";

const fields = {
	OriginatorConversationID: field.optional(field.text(100)),
	Initiator: field.text(100),
	SecurityCredential: field.text(2000),
	CommandID: field.oneOf("TransactionStatusQuery"),
	TransactionID: field.optional(field.text(20)),
	OriginalConversationID: field.optional(field.text(100)),
	PartyA: field.number,
	IdentifierType: field.oneOf("1", "2", "4"),
	ResultURL: field.url,
	QueueTimeOutURL: field.url,
	Remarks: field.text(100),
	Occasion: field.optional(field.text(100)),
};

/** Says what became of a transaction, by its receipt or by the OriginatorConversationID of its request. */
export const status: Operation = {
	name: "status",
	path: "/transactionstatus/v1/query",
	summary: "Transaction status, by TransactionID or OriginalConversationID.",
	fields,
	accept: async (call) => {
		const { sandbox } = call;
		const body = readBody(fields, call.body);
		if (body.TransactionID === null && body.OriginalConversationID === null)
			throw invalidField("TransactionID");
		const shortcode = getOwnShortcode(call, ["PartyA", body.PartyA]);
		const opened = openRequest(call, {
			operation: "status",
			shortcode: body.PartyA,
			originatorId: body.OriginatorConversationID,
			...{ resultUrl: body.ResultURL, timeoutUrl: body.QueueTimeOutURL },
		});
		const { Initiator: name, SecurityCredential: credential } = body;
		const fault = await findInitiatorFault(sandbox, shortcode, { name, credential });
		const found = findTransaction(sandbox, body);
		const request = closeRequest(sandbox, opened, { resultCode: fault ?? (found === undefined ? 2032 : 0) });
		return {
			answer: toAccepted(request),
			follow: () => sendResult(sandbox, request, (shown) => toStatusResult(sandbox, shown, found)),
		};
	},
};

/** A movement, or a request that moved nothing. */
type Found = { movement: Movement | undefined; request: GatewayRequest | undefined };

function findTransaction(sandbox: Sandbox, body: Body<typeof fields>): Found | undefined {
	const { movements, originators, requests } = sandbox.tables;
	const original = originators.get(body.OriginalConversationID ?? "");
	const request = original && requests.get(original.conversationId);
	const movement = movements.get(body.TransactionID ?? request?.transactionId ?? "");
	const isOwn = movement === undefined ? request?.shortcode === body.PartyA : isOf(movement, body.PartyA);
	return isOwn && (movement ?? request) !== undefined ? { movement, request } : undefined;
}

const isOf = ({ from, to }: Movement, shortcode: string) =>
	[from, to].some((account) => account.startsWith(`shortcode/${shortcode}/`));

/** The members of this result come in another order than those of others. */
function toStatusResult(sandbox: Sandbox, request: GatewayRequest, found: Found | undefined): object {
	const end = {
		ReferenceData: toReference({ Key: "Occasion" }).ReferenceData,
		ResultCode: request.resultCode ?? 0,
		ResultDesc: resultTexts[String(request.resultCode ?? 0)],
	};
	const ids = { ConversationID: request.conversationId, OriginatorConversationID: request.originatorId };
	if (found === undefined || request.resultCode !== 0)
		return {
			...{ ResultType: 0, ResultCode: end.ResultCode, ResultDesc: end.ResultDesc },
			...{ OriginatorConversationID: request.originatorId, ConversationID: request.conversationId },
			...{ TransactionID: request.transactionId, ReferenceData: end.ReferenceData },
		};
	const parameters = toParameters(listParameters(sandbox, found));
	return { ...ids, ...end, ...parameters, ResultType: 0, TransactionID: request.transactionId };
}

const reasons: Partial<Record<Movement["kind"], string>> = {
	payout: "Business Payment to Customer via API",
	business: "Business to Business Transfer",
	own_working: "Merchant to Working Transfer",
	reversal: "Transaction Reversal",
	till: "Buy Goods",
};

function listParameters(sandbox: Sandbox, { movement, request }: Found) {
	const stamp = printStamp(new Date(movement?.at ?? request?.at ?? 0));
	return [
		{ Key: "DebitPartyName", Value: movement && printParty(sandbox, movement.from) },
		{ Key: "CreditPartyName", Value: movement && printParty(sandbox, movement.to) },
		{ Key: "OriginatorConversationID", Value: movement?.originatorId ?? request?.originatorId },
		{ Key: "InitiatedTime", Value: stamp },
		{ Key: "DebitAccountType", Value: movement && accountType(movement.from) },
		{ Key: "DebitPartyCharges", Value: movement === undefined ? "" : printCharge(movement) },
		{ Key: "TransactionReason" },
		{ Key: "ReasonType", Value: (movement && reasons[movement.kind]) ?? "Pay Bill Online" },
		{ Key: "TransactionStatus", Value: movement === undefined ? "Failed" : "Completed" },
		{ Key: "FinalisedTime", Value: stamp },
		{ Key: "Amount", Value: movement && String(movement.amountMinor / 100) },
		{ Key: "ConversationID", Value: movement?.conversationId ?? request?.conversationId },
		{ Key: "ReceiptNo", Value: movement?.receipt },
	];
}

function printParty(sandbox: Sandbox, account: string): string {
	const party = account.split("/")[1] ?? account;
	return `${party} - ${nameOfParty(sandbox, party)}`;
}

function accountType(account: string): string {
	if (account.startsWith("phone/")) return "MMF Account For Customer";
	return account.endsWith("/working") ? "Working Account" : "Utility Account";
}
