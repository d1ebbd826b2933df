import { type Answer, accepted, isObject, type Raw, refused, textOf } from "../calls/answer.ts";
import type { ReadResponse } from "../calls/call-gateway.ts";
import type { Frequency } from "../profiles/profile.ts";
import { accountReferenceMax, descriptionMax, type MobileMoney, wholeUnits } from "./account.ts";
import { readWith } from "./read-response.ts";

/** A payment that the payer's wallet makes again and again, once the payer consented on the phone. */
export type StandingOrder = {
	/** Unique for each payer. */
	name: string;
	amountMinor: bigint;
	phone: string;
	accountReference: string;
	description: string;
	frequency: Frequency;
	/** Days as `YYYY-MM-DD`. */
	startOn: string;
	endOn: string;
	callbackUrl: string;
};

const transactionTypes = {
	paybill: "Standing Order Customer Pay Bill",
	till: "Standing Order Customer Pay Merchant",
} as const;

const dayOf = (date: string) => date.replaceAll("-", "");

/** Asks a payer for a standing order. Whether the payer consents comes by a callback. */
export async function createStandingOrder(
	account: MobileMoney,
	order: StandingOrder,
): Promise<Answer<{ requestId: string | undefined }>> {
	const { frequency_map: frequencies, identifier_types: types } = account.profile.settings;
	if (order.accountReference.length > accountReferenceMax)
		throw new Error("the account reference is too long");
	return account.post(
		{
			...{ operation: "standing-order", path: "standingorder/v1/createStandingOrderExternal", isBare: true },
			json: {
				StandingOrderName: order.name,
				BusinessShortCode: account.shortcode,
				TransactionType: transactionTypes[account.kind],
				Amount: String(wholeUnits(order.amountMinor)),
				PartyA: order.phone,
				ReceiverPartyIdentifierType: types[account.kind],
				CallBackURL: order.callbackUrl,
				AccountReference: order.accountReference,
				TransactionDesc: order.description.slice(0, descriptionMax),
				Frequency: frequencies[order.frequency],
				StartDate: dayOf(order.startOn),
				EndDate: dayOf(order.endOn),
			},
		},
		readStandingOrder,
	);
}

/**
 * The answer comes in camel and in Pascal case, and says success by 200. Other codes of a 2xx answer are
 * refusals.
 */
const readStandingOrder: ReadResponse<{ requestId: string | undefined }> = (response) => {
	const header = memberOf(response.body, "ResponseHeader");
	const code =
		fieldOf(header, "responseCode") ?? fieldOf(memberOf(response.body, "ResponseBody"), "responseCode");
	if (code === undefined) return readWith<{ requestId: string | undefined }>(() => undefined)(response);
	const text = fieldOf(header, "responseDescription") ?? "";
	return code === "200"
		? accepted({ requestId: fieldOf(header, "responseRefID") }, response.body)
		: refused(code, text);
};

const inOtherCase = (name: string) =>
	/^[a-z]/.test(name)
		? `${name.charAt(0).toUpperCase()}${name.slice(1)}`
		: `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

const memberOf = (body: Raw, name: string): Raw | undefined =>
	[body[name], body[inOtherCase(name)]].find(isObject);

const fieldOf = (object: Raw | undefined, name: string) =>
	textOf(object, name) ?? textOf(object, inOtherCase(name));
