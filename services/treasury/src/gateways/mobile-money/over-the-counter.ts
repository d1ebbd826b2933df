import { type Answer, textOf } from "../calls/answer.ts";
import { type MobileMoney, wholeUnits } from "./account.ts";
import { readWith } from "./read-response.ts";

/** The id of a request without a result of its own. */
type Acknowledged = { originatorId: string | undefined };

/** Every spelling of it, and every form of success, that the gateway has. */
const readAcknowledged = readWith<Acknowledged>((body) =>
	/^0+$/.test(textOf(body, "ResponseCode") ?? "")
		? { originatorId: textOf(body, "OriginatorCoversationID") ?? textOf(body, "OriginatorConversationID") }
		: undefined,
);

/**
 * Registers the addresses that the gateway asks before a payment to the shortcode, and notifies after it.
 * In production once for each shortcode.
 */
export const registerUrls = (
	account: MobileMoney,
	{ confirmationUrl, validationUrl }: { confirmationUrl: string; validationUrl: string },
): Promise<Answer<Acknowledged>> =>
	account.post(
		{
			...{ operation: "register-urls", path: "c2b/v1/registerurl" },
			json: {
				ShortCode: account.shortcode,
				ResponseType: "Completed",
				ConfirmationURL: confirmationUrl,
				ValidationURL: validationUrl,
			},
		},
		readAcknowledged,
	);

/** Simulates a payment to a paybill; only the gateway's sandbox takes it. */
export const simulatePayment = (
	account: MobileMoney,
	{ amountMinor, phone, accountCode }: { amountMinor: bigint; phone: string; accountCode: string },
): Promise<Answer<Acknowledged>> =>
	account.post(
		{
			...{ operation: "simulate", path: "c2b/v1/simulate" },
			json: {
				ShortCode: account.shortcode,
				CommandID: "CustomerPayBillOnline",
				Amount: wholeUnits(amountMinor),
				Msisdn: phone,
				BillRefNumber: accountCode,
			},
		},
		readAcknowledged,
	);
