import { nameOfParty } from "../accounts/name-of-party.ts";
import { msisdnPattern, otherPhone, phoneOf } from "../accounts/phone.ts";
import * as field from "../gateway/fields.ts";
import { type Body, readBody } from "../gateway/fields.ts";
import type { Call, Operation } from "../gateway/operation.ts";
import { getOwnShortcode } from "../gateway/own-shortcode.ts";
import { accountOf, balanceOf, moveMoney } from "../ledger/movement.ts";
import { printDotted, toDecimal } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import { findInitiatorFault } from "./initiator.ts";
import { closeRequest, type GatewayRequest, openRequest, sendResult, toAccepted } from "./request.ts";
import { timeoutItem, toHead, toParameters, toReference } from "./result.ts";

const fields = {
	OriginatorConversationID: field.optional(field.text(100)),
	InitiatorName: field.text(100),
	SecurityCredential: field.text(2000),
	CommandID: field.oneOf("BusinessPayment", "SalaryPayment", "PromotionPayment"),
	Amount: field.amount,
	PartyA: field.number,
	PartyB: field.party,
	Remarks: field.text(100),
	QueueTimeOutURL: field.url,
	ResultURL: field.url,
	Occasion: field.optional(field.text(100)),
};

/** Pays from the utility account of a shortcode to a phone or a personal till. */
export const payout: Operation = {
	name: "payout",
	path: "/b2c/v1/paymentrequest",
	otherPath: "/b2c/v3/paymentrequest",
	summary: "Payout to a customer's phone, or to a personal till.",
	fields,
	accept: async (call) => {
		const { sandbox } = call;
		const body = readBody(fields, call.body);
		const shortcode = getOwnShortcode(call, ["PartyA", body.PartyA]);
		const opened = openRequest(call, {
			operation: "payout",
			shortcode: body.PartyA,
			originatorId: body.OriginatorConversationID,
			...{ resultUrl: body.ResultURL, timeoutUrl: body.QueueTimeOutURL },
		});
		const { InitiatorName: name, SecurityCredential: credential } = body;
		const fault =
			(await findInitiatorFault(sandbox, shortcode, { name, credential })) ?? findRefusal(call, body);
		const request =
			fault === undefined
				? pay(call, { request: opened, body })
				: closeRequest(sandbox, opened, { resultCode: fault });
		return {
			answer: toAccepted(request),
			follow: () =>
				sendResult(sandbox, request, (shown, { isMutated, hasWrongPhone }) => {
					const minor = isMutated === true ? body.Amount + 100 : body.Amount;
					const to = hasWrongPhone === true ? otherPhone(body.PartyB) : body.PartyB;
					return toPayoutResult(sandbox, shown, { minor, to });
				}),
		};
	},
};

/** The account of a phone or a personal till. */
const payeeAccount = (party: string) =>
	msisdnPattern.test(party) ? accountOf.phone(party) : accountOf.shortcode(party, "utility");

function findRefusal({ sandbox, ordinal }: Call, body: Body<typeof fields>): number | undefined {
	if (!isPayee(sandbox, body.PartyB)) return 2040;
	const available = balanceOf(sandbox, accountOf.shortcode(body.PartyA, "utility"));
	const isShort = sandbox.faults.take({ operation: "payout", ordinal, faults: ["insufficient_float"] });
	return isShort !== undefined || available < body.Amount ? 1 : undefined;
}

const isPayee = (sandbox: Sandbox, party: string) =>
	msisdnPattern.test(party)
		? phoneOf(sandbox, party).isRegistered
		: sandbox.tables.shortcodes.get(party)?.kind === "personal_till";

function pay(
	{ sandbox, ordinal, at }: Call,
	{ request, body }: { request: GatewayRequest; body: Body<typeof fields> },
): GatewayRequest {
	const { conversationId, originatorId, shortcode } = request;
	const { receipt } = moveMoney(sandbox, {
		...{ kind: "payout", ordinal, at, amountMinor: body.Amount, shortcode, conversationId, originatorId },
		...{ phone: msisdnPattern.test(body.PartyB) ? body.PartyB : null, reference: body.Remarks },
		from: accountOf.shortcode(shortcode, "utility"),
		to: payeeAccount(body.PartyB),
	});
	return closeRequest(sandbox, request, { resultCode: 0, transactionId: receipt });
}

/** A failed result has no parameters. */
function toPayoutResult(
	sandbox: Sandbox,
	request: GatewayRequest,
	{ minor, to }: { minor: number; to: string },
): object {
	const reference = toReference(timeoutItem(request));
	if (request.resultCode !== 0) return { ...toHead(request), ...reference };
	const balance = (account: "utility" | "working") =>
		toDecimal(balanceOf(sandbox, accountOf.shortcode(request.shortcode, account)));
	const parameters = toParameters([
		{ Key: "TransactionAmount", Value: minor / 100 },
		{ Key: "TransactionReceipt", Value: request.transactionId },
		{ Key: "ReceiverPartyPublicName", Value: `${to} - ${nameOfParty(sandbox, to)}` },
		{ Key: "TransactionCompletedDateTime", Value: printDotted(new Date(request.at)) },
		{ Key: "B2CUtilityAccountAvailableFunds", Value: balance("utility") },
		{ Key: "B2CWorkingAccountAvailableFunds", Value: balance("working") },
		{ Key: "B2CRecipientIsRegisteredCustomer", Value: "Y" },
		{ Key: "B2CChargesPaidAccountAvailableFunds", Value: toDecimal(0) },
	]);
	return { ...toHead(request), ...parameters, ...reference };
}
