import { type Answer, textOf } from "../calls/answer.ts";
import { type MobileMoney, wholeUnits } from "./account.ts";
import { readWith } from "./read-response.ts";

/** What a QR code pays: a paybill, goods of a till, a wallet's account, a bank, or a wallet. */
export const trxCodes = ["PB", "BG", "WA", "SB", "SM"] as const;

export type TrxCode = (typeof trxCodes)[number];

/** A code that a payer scans. */
export type QrCode = {
	merchantName: string;
	reference: string;
	/** Undefined: the payer types it. */
	amountMinor: bigint | undefined;
	trxCode: TrxCode;
	/** In pixels. */
	size: number;
};

/** Makes a QR code. It was made when the answer has an image, whatever the answer's code says. */
export const makeQrCode = (
	account: MobileMoney,
	{ merchantName, reference, amountMinor, trxCode, size }: QrCode,
): Promise<Answer<{ pngBase64: string }>> =>
	account.post(
		{
			...{ operation: "qr-code", path: "qrcode/v1/generate" },
			json: {
				MerchantName: merchantName,
				RefNo: reference,
				Amount: amountMinor === undefined ? 0 : wholeUnits(amountMinor),
				TrxCode: trxCode,
				CPI: account.shortcode,
				Size: String(size),
			},
		},
		readWith((body) => {
			const pngBase64 = textOf(body, "QRCode");
			return pngBase64 === undefined ? undefined : { pngBase64 };
		}),
	);
