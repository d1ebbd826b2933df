import * as field from "../gateway/fields.ts";
import { readBody } from "../gateway/fields.ts";
import type { Operation } from "../gateway/operation.ts";
import { getOwnShortcode } from "../gateway/own-shortcode.ts";
import { accountOf, balanceOf } from "../ledger/movement.ts";
import { printAmount, printStamp } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import { findInitiatorFault } from "./initiator.ts";
import { closeRequest, type GatewayRequest, openRequest, sendResult, toAccepted } from "./request.ts";
import { timeoutItem, toHead, toParameters, toReference, toTextHead } from "./result.ts";

const fields = {
	OriginatorConversationID: field.optional(field.text(100)),
	Initiator: field.text(100),
	SecurityCredential: field.text(2000),
	CommandID: field.oneOf("AccountBalance"),
	PartyA: field.number,
	IdentifierType: field.oneOf("2", "4"),
	Remarks: field.text(100),
	QueueTimeOutURL: field.url,
	ResultURL: field.url,
};

/** Returns the balances of a shortcode's accounts. */
export const balance: Operation = {
	name: "balance",
	path: "/accountbalance/v1/query",
	summary: "Account balance: the balances of a shortcode's accounts, in one text.",
	fields,
	accept: async (call) => {
		const { sandbox } = call;
		const body = readBody(fields, call.body);
		const shortcode = getOwnShortcode(call, ["PartyA", body.PartyA]);
		const opened = openRequest(call, {
			operation: "balance",
			shortcode: body.PartyA,
			originatorId: body.OriginatorConversationID,
			...{ resultUrl: body.ResultURL, timeoutUrl: body.QueueTimeOutURL },
		});
		const { Initiator: name, SecurityCredential: credential } = body;
		const fault = await findInitiatorFault(sandbox, shortcode, { name, credential });
		const request = closeRequest(sandbox, opened, { resultCode: fault ?? 0 });
		const accounts = printAccounts(sandbox, body.PartyA);
		return {
			answer: toAccepted(request),
			follow: () => sendResult(sandbox, request, (shown) => toBalanceResult(shown, accounts)),
		};
	},
};

/** `name|KES|current|available|uncleared|reserved`, joined by `&`. */
function printAccounts(sandbox: Sandbox, shortcode: string): string {
	const working = balanceOf(sandbox, accountOf.shortcode(shortcode, "working"));
	const utility = balanceOf(sandbox, accountOf.shortcode(shortcode, "utility"));
	const charges = balanceOf(sandbox, accountOf.shortcode(shortcode, "charges"));
	const accounts: ReadonlyArray<readonly [string, number]> = [
		["Working Account", working],
		["Float Account", 0],
		["Utility Account", utility],
		["Charges Paid Account", charges],
		["Organization Settlement Account", 0],
	];
	return accounts
		.map(([name, minor]) => `${name}|KES|${printAmount(minor)}|${printAmount(minor)}|0.00|0.00`)
		.join("&");
}

function toBalanceResult(request: GatewayRequest, accounts: string): object {
	const reference = toReference(timeoutItem(request));
	if (request.resultCode !== 0) return { ...toHead(request), ...reference };
	const parameters = toParameters([
		{ Key: "AccountBalance", Value: accounts },
		{ Key: "BOCompletedTime", Value: printStamp(new Date(request.at)) },
	]);
	return { ...toTextHead(request), ...parameters, ...reference };
}
