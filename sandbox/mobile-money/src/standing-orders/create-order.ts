import { phoneOf } from "../accounts/phone.ts";
import * as field from "../gateway/fields.ts";
import { type Body, readBody } from "../gateway/fields.ts";
import type { Accepted, Call, Operation } from "../gateway/operation.ts";
import { Refusal, requestId } from "../gateway/refusal.ts";
import { printStamp } from "../ledger/text.ts";
import { actByItself, showPrompt } from "../push/show-prompt.ts";
import type { Sandbox } from "../sandbox.ts";
import { frequencies, isDate } from "./standing-order.ts";

const date: field.Field<string> = {
	schema: { type: "string", pattern: "^\\d{8}$" },
	read: (value) => (isDate(String(value)) ? String(value) : undefined),
};
const fields = {
	StandingOrderName: field.text(100),
	BusinessShortCode: field.number,
	TransactionType: field.oneOf("Standing Order Customer Pay Bill", "Standing Order Customer Pay Merchant"),
	Amount: field.amount,
	PartyA: field.msisdn,
	ReceiverPartyIdentifierType: field.oneOf("2", "4"),
	CallBackURL: field.url,
	AccountReference: field.text(12),
	TransactionDesc: field.text(13),
	Frequency: field.oneOf("1", "2", "3", "4", "5", "6", "7", "8"),
	StartDate: date,
	EndDate: date,
};

/** Asks a payer to consent to a standing order. It refuses in a form of its own. */
export const standingOrder: Operation = {
	name: "standing_order",
	path: "/standingorder/v1/createStandingOrderExternal",
	hasNoPrefix: true,
	summary: "Standing order: asks a payer to let a shortcode collect again and again.",
	fields,
	accept: (call) => {
		try {
			return ask(call);
		} catch (error) {
			throw error instanceof Refusal ? toOwnForm(call, error) : error;
		}
	},
};

function ask(call: Call): Accepted {
	const { sandbox, ordinal, at } = call;
	const body = readBody(fields, call.body);
	requireAllowed(call, body);
	const id = sandbox.ids.uuid(ordinal, "standing order");
	const prompt = showPrompt(sandbox, {
		...{ id, merchantRequestId: sandbox.ids.uuid(ordinal, "request"), ordinal, at },
		...{ shortcode: body.BusinessShortCode, phone: body.PartyA, amountMinor: body.Amount },
		...{ reference: body.AccountReference, description: body.TransactionDesc },
		callbackUrl: body.CallBackURL,
		order: {
			...{ name: body.StandingOrderName, frequency: body.Frequency },
			...{ startDate: body.StartDate, endDate: body.EndDate },
		},
	});
	const text = "Request accepted for processing";
	return {
		answer: {
			ResponseHeader: {
				responseRefID: id,
				responseCode: "200",
				responseDescription: text,
				ResultDesc: "The service request is processed successfully.",
			},
			ResponseBody: { responseDescription: text, responseCode: "200" },
		},
		follow: () => actByItself(sandbox, prompt),
	};
}

/** Throws `Refusal` in the form of other operations. */
function requireAllowed({ sandbox, consumerKey, at }: Call, body: Body<typeof fields>): void {
	const shortcode = sandbox.tables.shortcodes.get(body.BusinessShortCode);
	if (shortcode?.consumerKey !== consumerKey)
		throw refuse("Value in field 'BusinessShortCode' can only be what was issued for this application");
	const type = shortcode.kind === "paybill" ? "Pay Bill" : "Pay Merchant";
	if (!body.TransactionType.endsWith(type)) throw refuse("Value in field 'TransactionType' is invalid");
	if (!Object.hasOwn(frequencies[sandbox.behaviour.frequencies], body.Frequency))
		throw refuse("Value in field 'Frequency' is invalid");
	if (body.StartDate < printStamp(at).slice(0, 8)) throw refuse("Value in field 'StartDate' is invalid");
	if (body.EndDate < body.StartDate) throw refuse("Value in field 'EndDate' is invalid");
	if (hasOrder(sandbox, body))
		throw refuse("Value in field 'StandingOrderName' must be unique for the payer");
	if (phoneOf(sandbox, body.PartyA).openPromptId !== null)
		throw refuse("A transaction is already in process for the current subscriber");
}

const hasOrder = ({ tables }: Sandbox, { PartyA, StandingOrderName }: Body<typeof fields>) =>
	tables.orders.list().some(({ phone, name }) => phone === PartyA && name === StandingOrderName);

const refuse = (text: string) => new Refusal(400, "400", text);

/** The form of a refused standing order. */
function toOwnForm({ sandbox: { ids }, ordinal, at }: Call, { message }: Refusal): Refusal {
	const name = /^Bad Request - Invalid (\w+)$/.exec(message)?.[1];
	return Object.assign(refuse(message), {
		body: {
			requestRefId: requestId(ids, ordinal),
			responseMessage: name === undefined ? message : `Value in field '${name}' is invalid`,
			responseCode: 400,
			timestamp: `${at.toISOString().slice(0, 19)}Z`,
		},
	});
}
