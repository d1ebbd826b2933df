import Type from "typebox";
import { amountShape, apiRoute, currencyShape, textShape } from "../answers/api-route.ts";
import { notFound } from "../answers/refusal.ts";
import { toFinalized, toQueued, toStarted, toVerified } from "./to-transfer.ts";
import { finalizeTransfer, resendOtp, startTransfer, startTransfers } from "./transfer.ts";

const members = {
	amount: amountShape,
	recipient: textShape,
	reason: Type.Optional(textShape),
	reference: Type.Optional(Type.String({ maxLength: 200 })),
};
/** Money leaves the balance only. */
const source = Type.Literal("balance");
const newTransfer = Type.Object({ source, ...members, currency: Type.Optional(currencyShape) });
const bulk = Type.Object({
	source,
	currency: Type.Optional(currencyShape),
	transfers: Type.Array(Type.Object(members), { minItems: 1, maxItems: 100 }),
});
const codeMember = { transfer_code: textShape };

/** Transfers, §4.4, and their one-time passwords. */
export const transferRoutes = [
	apiRoute({
		operation: "transfer",
		method: "POST",
		url: "/transfer",
		summary: "Send money from the balance to a recipient",
		body: newTransfer,
		answer: (gateway, { body: { source: _, currency = "KES", ...asked } }) => {
			const transfer = startTransfer(gateway, { ...asked, currency });
			const isWaiting = transfer.status === "otp";
			return {
				message: isWaiting ? "Transfer requires OTP to continue" : "Transfer has been queued",
				data: toStarted(transfer),
			};
		},
	}),
	apiRoute({
		operation: "bulk_transfer",
		method: "POST",
		url: "/transfer/bulk",
		summary: "Send money to up to 100 recipients",
		body: bulk,
		answer: (gateway, { body: { transfers, currency = "KES" } }) => {
			const started = startTransfers(
				gateway,
				transfers.map((asked) => ({ ...asked, currency })),
			);
			return {
				message: `${started.length} transfers queued.`,
				data: started.map((transfer) => toQueued(gateway, transfer)),
			};
		},
	}),
	apiRoute({
		operation: "verify_transfer",
		method: "GET",
		url: "/transfer/verify/:reference",
		summary: "What became of a transfer",
		answer: (gateway, { params }) => {
			const found = gateway.store.find("transfers", "reference", params["reference"] ?? "");
			if (found === undefined) throw notFound("Transfer");
			return { message: "Transfer retrieved", data: toVerified(gateway, found) };
		},
	}),
	apiRoute({
		operation: "finalize_transfer",
		method: "POST",
		url: "/transfer/finalize_transfer",
		summary: "Give the one-time password of a transfer",
		body: Type.Object({ ...codeMember, otp: Type.String({ maxLength: 20 }) }),
		answer: (gateway, { body }) => ({
			message: "Transfer has been queued",
			data: toFinalized(finalizeTransfer(gateway, body.transfer_code, body.otp)),
		}),
	}),
	apiRoute({
		operation: "resend_otp",
		method: "POST",
		url: "/transfer/resend_otp",
		summary: "Ask for a new one-time password",
		body: Type.Object({ ...codeMember, reason: Type.Optional(textShape) }),
		answer: (gateway, { body }) => {
			resendOtp(gateway, body.transfer_code);
			return { message: "OTP has been resent" };
		},
	}),
];
