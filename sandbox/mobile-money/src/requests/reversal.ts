import { nameOfParty } from "../accounts/name-of-party.ts";
import type { Shortcode } from "../accounts/shortcode.ts";
import * as field from "../gateway/fields.ts";
import { type Body, readBody } from "../gateway/fields.ts";
import type { Call, Operation } from "../gateway/operation.ts";
import { getOwnShortcode } from "../gateway/own-shortcode.ts";
import { charge } from "../ledger/charge.ts";
import { accountOf, balanceOf, type Movement, moveMoney } from "../ledger/movement.ts";
import { printAmount, printStamp, toDecimal } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import { findInitiatorFault } from "./initiator.ts";
import { closeRequest, type GatewayRequest, openRequest, sendResult, toAccepted } from "./request.ts";
import { timeoutItem, toHead, toParameters, toReference } from "./result.ts";

const fields = {
	OriginatorConversationID: field.optional(field.text(100)),
	Initiator: field.text(100),
	SecurityCredential: field.text(2000),
	CommandID: field.oneOf("TransactionReversal"),
	TransactionID: field.text(20),
	Amount: field.amount,
	ReceiverParty: field.number,
	RecieverIdentifierType: field.oneOf("11", "4"),
	Remarks: field.text(100),
	QueueTimeOutURL: field.url,
	ResultURL: field.url,
	Occasion: field.optional(field.text(100)),
};
const windowMs = 24 * 3_600_000;

/** Gives a payment back to the phone that paid. */
export const reversal: Operation = {
	name: "reversal",
	path: "/reversal/v1/request",
	summary: "Reversal: gives a payment back to its payer, within 24 hours.",
	fields,
	accept: async (call) => {
		const { sandbox } = call;
		const body = readBody(fields, call.body);
		const shortcode = getOwnShortcode(call, ["ReceiverParty", body.ReceiverParty]);
		const opened = openRequest(call, {
			operation: "reversal",
			shortcode: body.ReceiverParty,
			originatorId: body.OriginatorConversationID,
			...{ resultUrl: body.ResultURL, timeoutUrl: body.QueueTimeOutURL },
		});
		const { Initiator: name, SecurityCredential: credential } = body;
		const fault = await findInitiatorFault(sandbox, shortcode, { name, credential });
		const original = sandbox.tables.movements.get(body.TransactionID);
		const code = fault ?? findRefusal(call, original, body);
		const request =
			code === undefined && original !== undefined
				? giveBack(call, { request: opened, original, minor: body.Amount, shortcode })
				: closeRequest(sandbox, opened, { resultCode: code ?? "R000002" });
		return {
			answer: toAccepted(request),
			follow: () =>
				sendResult(sandbox, request, (shown) => toReversalResult(sandbox, shown, { original, body })),
		};
	},
};

/** The code of why it cannot be given back, or undefined. */
function findRefusal(
	{ sandbox, at }: Call,
	original: Movement | undefined,
	body: Body<typeof fields>,
): number | string | undefined {
	const utility = accountOf.shortcode(body.ReceiverParty, "utility");
	if (original?.phone === null || original?.to !== utility) return "R000002";
	if (original.reversedBy !== null) return "R000001";
	if (at.getTime() - Date.parse(original.at) > windowMs || body.Amount > original.amountMinor) return 17;
	return balanceOf(sandbox, utility) < body.Amount ? 1 : undefined;
}

type Giving = { request: GatewayRequest; original: Movement; minor: number; shortcode: Shortcode };

function giveBack(call: Call, { request, original, minor, shortcode: charged }: Giving): GatewayRequest {
	const { sandbox, ordinal, at } = call;
	const { conversationId, originatorId } = request;
	const { phone, shortcode, reference, receipt: reverses } = original;
	const moved = moveMoney(sandbox, {
		...{ kind: "reversal", ordinal, at, amountMinor: minor, conversationId, originatorId },
		...{ phone, shortcode, reference, reverses, from: original.to, to: original.from },
	});
	sandbox.tables.movements.put(reverses, { ...original, reversedBy: moved.receipt });
	charge(call, moved, charged);
	return closeRequest(sandbox, request, { resultCode: 0, transactionId: moved.receipt });
}

type Shown = { original: Movement | undefined; body: Body<typeof fields> };

function toReversalResult(sandbox: Sandbox, request: GatewayRequest, { original, body }: Shown): object {
	const reference = toReference(timeoutItem(request));
	if (request.resultCode !== 0) return { ...toHead(request), ...reference };
	const text = printAmount(balanceOf(sandbox, accountOf.shortcode(body.ReceiverParty, "utility")));
	const payer = original?.phone ?? "";
	const parameters = toParameters([
		{ Key: "DebitAccountBalance", Value: `Utility Account|KES|${text}|${text}|0.00|0.00` },
		{ Key: "Amount", Value: toDecimal(body.Amount) },
		{ Key: "TransCompletedTime", Value: Number(printStamp(new Date(request.at))) },
		{ Key: "OriginalTransactionID", Value: body.TransactionID },
		{
			Key: "Charge",
			Value: toDecimal(sandbox.tables.movements.get(request.transactionId)?.chargeMinor ?? 0),
		},
		{ Key: "CreditPartyPublicName", Value: `${payer} - ${nameOfParty(sandbox, payer)}` },
		{
			Key: "DebitPartyPublicName",
			Value: `${body.ReceiverParty} - ${nameOfParty(sandbox, body.ReceiverParty)}`,
		},
	]);
	return { ...toHead(request), ...parameters, ...reference };
}
