import { type Answer, refused, textOf } from "../calls/answer.ts";
import { accountReferenceMax, descriptionMax, type MobileMoney, timestampOf, wholeUnits } from "./account.ts";
import { readPromptWith, readWith } from "./read-response.ts";

/** The ids of a prompt at the gateway. */
export type PushIds = { merchantRequestId: string; checkoutRequestId: string };

/** A prompt on a phone. */
export type Push = {
	amountMinor: bigint;
	/** `2547…` or `2541…`, without a plus. */
	phone: string;
	/** At most 12 characters. */
	accountReference: string;
	/** Cut after 13 characters. */
	description: string;
	callbackUrl: string;
};

const transactionTypes = { paybill: "CustomerPayBillOnline", till: "CustomerBuyGoodsOnline" } as const;

const passkeyMissing = () => refused("passkey_missing", "The shortcode has no passkey.");

const passwordOf = ({ shortcode }: MobileMoney, passkey: string, timestamp: string) =>
	Buffer.from(`${shortcode}${passkey}${timestamp}`).toString("base64");

/** Sends a prompt to a phone. Its result comes by the callback, or is asked with `queryPush`. */
export async function startPush(account: MobileMoney, push: Push): Promise<Answer<PushIds>> {
	const { shortcode, kind, passkey, now } = account;
	if (passkey === undefined) return passkeyMissing();
	if (push.accountReference.length > accountReferenceMax)
		throw new Error("the account reference is too long");
	const timestamp = timestampOf(now());
	return account.post(
		{
			...{ operation: "push", path: "stkpush/v1/processrequest" },
			json: {
				BusinessShortCode: shortcode,
				Password: passwordOf(account, passkey, timestamp),
				Timestamp: timestamp,
				TransactionType: transactionTypes[kind],
				Amount: String(wholeUnits(push.amountMinor)),
				PartyA: push.phone,
				PartyB: shortcode,
				PhoneNumber: push.phone,
				CallBackURL: push.callbackUrl,
				AccountReference: push.accountReference,
				TransactionDesc: push.description.slice(0, descriptionMax),
			},
		},
		readPush,
	);
}

const readPush = readPromptWith<PushIds>((body) => {
	const merchantRequestId = textOf(body, "MerchantRequestID");
	const checkoutRequestId = textOf(body, "CheckoutRequestID");
	if (textOf(body, "ResponseCode") !== "0" || merchantRequestId === undefined) return undefined;
	return checkoutRequestId === undefined ? undefined : { merchantRequestId, checkoutRequestId };
});

/** What became of a prompt: the code "0" is paid. It has neither the amount nor the receipt. */
export type PushResult = { resultCode: string; resultText: string | undefined };

/**
 * Asks what became of a prompt. While it is open, the answer is refused with the code 500.001.1001, or
 * unknown: ask again later.
 */
export async function queryPush(
	account: MobileMoney,
	checkoutRequestId: string,
): Promise<Answer<PushResult>> {
	const { shortcode, passkey, now } = account;
	if (passkey === undefined) return passkeyMissing();
	const timestamp = timestampOf(now());
	return account.post(
		{
			...{ operation: "push-query", path: "stkpushquery/v1/query", isQuery: true },
			json: {
				BusinessShortCode: shortcode,
				Password: passwordOf(account, passkey, timestamp),
				Timestamp: timestamp,
				CheckoutRequestID: checkoutRequestId,
			},
		},
		readPushQuery,
	);
}

const readQueryResult = readWith<PushResult>((body) => {
	const resultCode = textOf(body, "ResultCode");
	return resultCode === undefined ? undefined : { resultCode, resultText: textOf(body, "ResultDesc") };
});

/**
 * An open prompt is answered as an error of the server: it is neither a failure of the gateway nor a
 * result.
 */
const readPushQuery: typeof readQueryResult = (response) => {
	const code = textOf(response.body, "errorCode");
	if (code === "500.001.1001") return refused(code, textOf(response.body, "errorMessage") ?? "", true);
	return readQueryResult(response);
};
