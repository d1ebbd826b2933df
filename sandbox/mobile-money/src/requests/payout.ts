import { nameOfParty } from "../accounts/name-of-party.ts";
import { msisdnPattern, otherPhone, phoneOf } from "../accounts/phone.ts";
import * as field from "../gateway/fields.ts";
import { readBody } from "../gateway/fields.ts";
import type { Operation } from "../gateway/operation.ts";
import { accountOf, balanceOf, type ShortcodeAccount } from "../ledger/movement.ts";
import { printDotted, toDecimal } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
import { acceptPayOut } from "./pay-out.ts";
import type { GatewayRequest } from "./request.ts";
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
	accept: (call) => {
		const { sandbox } = call;
		const body = readBody(fields, call.body);
		const { PartyA, PartyB, Amount, Remarks } = body;
		return acceptPayOut(call, {
			...{ operation: "payout", body },
			initiator: { name: body.InitiatorName, credential: body.SecurityCredential },
			findFault: () => (isPayee(sandbox, PartyB) ? undefined : 2040),
			movement: {
				...{ kind: "payout", reference: Remarks, phone: msisdnPattern.test(PartyB) ? PartyB : null },
				...{ from: accountOf.shortcode(PartyA, "utility"), to: payeeAccount(PartyB) },
			},
			toResult: (request, { isMutated, hasWrongPhone }) => {
				const minor = isMutated === true ? Amount + 100 : Amount;
				return toPayoutResult(sandbox, request, {
					minor,
					to: hasWrongPhone === true ? otherPhone(PartyB) : PartyB,
				});
			},
		});
	},
};

/** The account of a phone or a personal till. */
const payeeAccount = (party: string) =>
	msisdnPattern.test(party) ? accountOf.phone(party) : accountOf.shortcode(party, "utility");

const isPayee = (sandbox: Sandbox, party: string) =>
	msisdnPattern.test(party)
		? phoneOf(sandbox, party).isRegistered
		: sandbox.tables.shortcodes.get(party)?.kind === "personal_till";

/** A failed result has no parameters. */
function toPayoutResult(
	sandbox: Sandbox,
	request: GatewayRequest,
	{ minor, to }: { minor: number; to: string },
): object {
	const reference = toReference(timeoutItem(request));
	if (request.resultCode !== 0) return { ...toHead(request), ...reference };
	const balance = (account: ShortcodeAccount) =>
		toDecimal(balanceOf(sandbox, accountOf.shortcode(request.shortcode, account)));
	const parameters = toParameters([
		{ Key: "TransactionAmount", Value: minor / 100 },
		{ Key: "TransactionReceipt", Value: request.transactionId },
		{ Key: "ReceiverPartyPublicName", Value: `${to} - ${nameOfParty(sandbox, to)}` },
		{ Key: "TransactionCompletedDateTime", Value: printDotted(new Date(request.at)) },
		{ Key: "B2CUtilityAccountAvailableFunds", Value: balance("utility") },
		{ Key: "B2CWorkingAccountAvailableFunds", Value: balance("working") },
		{ Key: "B2CRecipientIsRegisteredCustomer", Value: "Y" },
		{ Key: "B2CChargesPaidAccountAvailableFunds", Value: balance("charges") },
	]);
	return { ...toHead(request), ...parameters, ...reference };
}
