import QRCode from "qrcode";
import * as field from "../gateway/fields.ts";
import { readBody } from "../gateway/fields.ts";
import type { Operation } from "../gateway/operation.ts";
import { requestId } from "../gateway/refusal.ts";

const fields = {
	MerchantName: field.text(100),
	RefNo: field.text(100),
	Amount: field.openAmount,
	TrxCode: field.oneOf("PB", "BG", "WA", "SM", "SB"),
	CPI: field.text(20),
	Size: field.oneOf(...["100", "150", "200", "250", "300", "400", "500", "600"]),
};

/** Makes a QR code of what is to be paid, a PNG in base64. */
export const qr: Operation = {
	name: "qr",
	path: "/qrcode/v1/generate",
	summary: "QR code: a PNG in base64 that a payer's phone can read.",
	fields,
	accept: async ({ sandbox: { ids }, ordinal, body }) => {
		const read = readBody(fields, body);
		const content = [read.TrxCode, read.CPI, read.RefNo, read.Amount / 100, read.MerchantName].join("|");
		const png = await QRCode.toBuffer(content, { type: "png", width: Number(read.Size) });
		return {
			answer: {
				ResponseCode: "00",
				RequestID: requestId(ids, ordinal, "qr"),
				ResponseDescription: "The service request is processed successfully.",
				QRCode: png.toString("base64"),
			},
		};
	},
};
