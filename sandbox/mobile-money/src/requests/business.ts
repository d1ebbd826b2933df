import { nameOfParty } from "../accounts/name-of-party.ts";
import * as field from "../gateway/fields.ts";
import { type Body, readBody } from "../gateway/fields.ts";
import type { Call, Operation } from "../gateway/operation.ts";
import { getOwnShortcode } from "../gateway/own-shortcode.ts";
import { accountOf, balanceOf, moveMoney } from "../ledger/movement.ts";
import { printAmount, printStamp } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import { findInitiatorFault } from "./initiator.ts";
import { closeRequest, type GatewayRequest, openRequest, sendResult, toAccepted } from "./request.ts";
import { timeoutItem, toHead, toParameters, toReference, toTextHead } from "./result.ts";

const fields = {
	OriginatorConversationID: field.optional(field.text(100)),
	Initiator: field.text(100),
	SecurityCredential: field.text(2000),
	CommandID: field.oneOf(
		"BusinessPayBill",
		"MerchantToMerchantTransfer",
		"MerchantTransferFromMerchantToWorking",
	),
	SenderIdentifierType: field.oneOf("2", "4"),
	RecieverIdentifierType: field.oneOf("2", "4"),
	Amount: field.amount,
	PartyA: field.number,
	PartyB: field.number,
	AccountReference: field.text(20),
	Remarks: field.text(100),
	QueueTimeOutURL: field.url,
	ResultURL: field.url,
};

/** From and to which account each command moves money, and which payees it allows. */
const commands = {
	BusinessPayBill: { from: "working", to: "utility", payee: "paybill", kind: "business" },
	MerchantToMerchantTransfer: { from: "working", to: "utility", payee: "till", kind: "business" },
	MerchantTransferFromMerchantToWorking: {
		from: "utility",
		to: "working",
		payee: "own",
		kind: "own_working",
	},
} as const;

/** Pays from a shortcode to another one, or from its utility account to its own working account. */
export const business: Operation = {
	name: "business",
	path: "/b2b/v1/paymentrequest",
	summary: "Business to business: to a paybill or till, or to the own working account.",
	fields,
	accept: async (call) => {
		const { sandbox } = call;
		const body = readBody(fields, call.body);
		const shortcode = getOwnShortcode(call, ["PartyA", body.PartyA]);
		const opened = openRequest(call, {
			operation: "business",
			shortcode: body.PartyA,
			originatorId: body.OriginatorConversationID,
			...{ resultUrl: body.ResultURL, timeoutUrl: body.QueueTimeOutURL },
		});
		const { Initiator: name, SecurityCredential: credential } = body;
		const fault =
			(await findInitiatorFault(sandbox, shortcode, { name, credential })) ?? findRefusal(call, body);
		const request =
			fault === undefined
				? pay(call, { request: opened, body })
				: closeRequest(sandbox, opened, { resultCode: fault });
		return {
			answer: toAccepted(request),
			follow: () => sendResult(sandbox, request, (shown) => toBusinessResult(sandbox, shown, body)),
		};
	},
};

function findRefusal({ sandbox, ordinal }: Call, body: Body<typeof fields>): number | undefined {
	const { from, payee } = commands[body.CommandID];
	const receiver = sandbox.tables.shortcodes.get(body.PartyB);
	const isAllowed = payee === "own" ? body.PartyB === body.PartyA : receiver?.kind === payee;
	if (!isAllowed) return 2028;
	const available = balanceOf(sandbox, accountOf.shortcode(body.PartyA, from));
	const isShort = sandbox.faults.take({ operation: "business", ordinal, faults: ["insufficient_float"] });
	return isShort !== undefined || available < body.Amount ? 1 : undefined;
}

function pay(
	{ sandbox, ordinal, at }: Call,
	{ request, body }: { request: GatewayRequest; body: Body<typeof fields> },
): GatewayRequest {
	const { from, to, kind } = commands[body.CommandID];
	const { conversationId, originatorId, shortcode } = request;
	const { receipt } = moveMoney(sandbox, {
		...{ kind, ordinal, at, amountMinor: body.Amount, shortcode, conversationId, originatorId },
		reference: body.AccountReference,
		from: accountOf.shortcode(body.PartyA, from),
		to: accountOf.shortcode(body.PartyB, to),
	});
	return closeRequest(sandbox, request, { resultCode: 0, transactionId: receipt });
}

/** Its values are text. A failed result has one parameter, as an object. */
function toBusinessResult(sandbox: Sandbox, request: GatewayRequest, body: Body<typeof fields>): object {
	const stamp = printStamp(new Date(request.at));
	const item = timeoutItem(request);
	if (request.resultCode !== 0)
		return {
			...toHead(request),
			ResultParameters: { ResultParameter: { Key: "BOCompletedTime", Value: Number(stamp) } },
			...toReference(item),
		};
	const { from } = commands[body.CommandID];
	const minor = balanceOf(sandbox, accountOf.shortcode(body.PartyA, from));
	const text = printAmount(minor);
	const balance = `{Amount={CurrencyCode=KES, MinimumAmount=${minor}, BasicAmount=${text}}}`;
	const account = from === "working" ? "Working Account" : "Utility Account";
	const parameters = toParameters([
		{ Key: "DebitAccountBalance", Value: balance },
		{ Key: "Amount", Value: printAmount(body.Amount) },
		{ Key: "DebitPartyAffectedAccountBalance", Value: `${account}|KES|${text}|${text}|0.00|0.00` },
		{ Key: "TransCompletedTime", Value: stamp },
		{ Key: "DebitPartyCharges", Value: "" },
		{ Key: "ReceiverPartyPublicName", Value: `${body.PartyB} - ${nameOfParty(sandbox, body.PartyB)}` },
		{ Key: "Currency", Value: "KES" },
		{ Key: "InitiatorAccountCurrentBalance", Value: balance },
	]);
	const items = [{ Key: "BillReferenceNumber", Value: body.AccountReference }, item];
	return { ...toTextHead(request), ...parameters, ReferenceData: { ReferenceItem: items } };
}
