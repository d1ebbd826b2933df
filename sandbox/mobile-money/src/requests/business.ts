import { nameOfParty } from "../accounts/name-of-party.ts";
import * as field from "../gateway/fields.ts";
import { type Body, readBody } from "../gateway/fields.ts";
import type { Operation } from "../gateway/operation.ts";
import { chargeOf } from "../ledger/charge.ts";
import { accountOf, balanceOf } from "../ledger/movement.ts";
import { printAmount, printStamp } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import { acceptPayOut } from "./pay-out.ts";
import type { GatewayRequest } from "./request.ts";
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
	accept: (call) => {
		const { sandbox } = call;
		const body = readBody(fields, call.body);
		const { from, to, kind } = commands[body.CommandID];
		return acceptPayOut(call, {
			...{ operation: "business", body },
			initiator: { name: body.Initiator, credential: body.SecurityCredential },
			findFault: () => (isPayee(sandbox, body) ? undefined : 2028),
			movement: {
				...{ kind, reference: body.AccountReference },
				from: accountOf.shortcode(body.PartyA, from),
				to: accountOf.shortcode(body.PartyB, to),
			},
			toResult: (request) => toBusinessResult(sandbox, request, body),
		});
	},
};

function isPayee(sandbox: Sandbox, { CommandID, PartyA, PartyB }: Body<typeof fields>): boolean {
	const { payee } = commands[CommandID];
	return payee === "own" ? PartyB === PartyA : sandbox.tables.shortcodes.get(PartyB)?.kind === payee;
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
		{ Key: "DebitPartyCharges", Value: chargeOf(sandbox, request) },
		{ Key: "ReceiverPartyPublicName", Value: `${body.PartyB} - ${nameOfParty(sandbox, body.PartyB)}` },
		{ Key: "Currency", Value: "KES" },
		{ Key: "InitiatorAccountCurrentBalance", Value: balance },
	]);
	const items = [{ Key: "BillReferenceNumber", Value: body.AccountReference }, item];
	return { ...toTextHead(request), ...parameters, ReferenceData: { ReferenceItem: items } };
}
