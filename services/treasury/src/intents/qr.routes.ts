import { permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { trxCodes } from "../gateways/mobile-money/qr-code.ts";
import { AmountMinor } from "../money/amount.ts";
import type { Treasury } from "../treasury.ts";
import { drawIntentQrCode, drawQrCode } from "./draw-qr-code.ts";
import { requireIntent } from "./intent.routes.ts";

const drawing = {
	access: permit("treasury.payments.change"),
	outlets: tenantWide("payments are the tenant's"),
	method: "POST",
} as const;
const tags = ["intents"];
const sizeDefault = 300;
const Size = Type.Optional(
	Type.Integer({ minimum: 100, maximum: 600, default: sizeDefault, description: "In pixels" }),
);
const drawn = {
	200: Type.Object({ png_base64: Type.String() }),
	409: FailureBody,
	503: FailureBody,
};

/** The routes that draw QR codes which pay to the tenant's shortcode. */
export const qrRoutes = (domain: Treasury): readonly Route[] => [
	route({
		...drawing,
		url: "/intents/:id/qr",
		schema: {
			summary: "Draws the QR code that pays what is due of an intent",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			body: Shape({ size: Size }),
			response: drawn,
		},
		handler: async (request) => {
			const intent = await requireIntent(domain, request, request.params.id);
			return { png_base64: await drawIntentQrCode(domain, intent, request.body.size ?? sizeDefault) };
		},
	}),
	route({
		...drawing,
		url: "/qr",
		schema: {
			summary: "Draws a QR code that pays to the tenant's shortcode, for a poster or a counter",
			description:
				"What is paid by it is a receipt without an intent, unless the reference is an account code. Without an amount the payer types it.",
			tags,
			body: Shape({
				reference: Type.String({
					...{
						pattern: "^[\\w-]{1,12}$",
						description: "What the payment is for; the shortcode's owner sees it",
					},
				}),
				amount_minor: Type.Optional(AmountMinor),
				trx_code: Type.Enum([...trxCodes], {
					type: "string",
					description: "PB paybill, BG goods of a till, WA wallet, SB bank, SM phone",
				}),
				size: Size,
			}),
			response: drawn,
		},
		handler: async (request) => {
			const { reference, amount_minor: amount, trx_code: trxCode, size = sizeDefault } = request.body;
			const amountMinor = amount === undefined ? undefined : BigInt(amount);
			const tenantId = tenantOf(request).id;
			return { png_base64: await drawQrCode(domain, { tenantId, reference, amountMinor, trxCode, size }) };
		},
	}),
];
