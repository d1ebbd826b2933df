import { Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { cardChannels } from "../gateways/card-gateway/transactions.ts";
import type { StartedCheckout } from "./start-checkout.ts";

/** What a request for a checkout contains. */
export const CheckoutBody = Shape({
	email: Type.Optional(
		Type.String({
			format: "email",
			maxLength: 254,
			description: "The payer's, for the receipt of the gateway. Not needed if the request has a customer's.",
		}),
	),
	channels: Type.Optional(
		Type.Array(Type.Enum([...cardChannels], { type: "string" }), {
			...{ minItems: 1, maxItems: cardChannels.length, uniqueItems: true },
			description: "How the payer may pay there; without it, in every way that is admitted",
		}),
	),
	mobile_money: Type.Optional({
		...Shape({
			phone: Type.String({ minLength: 9, maxLength: 20, examples: ["0712 345 678"] }),
			provider: Type.String({
				pattern: "^[A-Za-z0-9_-]{1,40}$",
				description: "The code of a provider in the gateway's list of banks",
			}),
		}),
		description: "The phone that pays by mobile money there; the channel must be admitted",
	}),
});

/** A hosted checkout. */
const CheckoutWire = Type.Object({
	attempt_id: Uuid,
	reference: Type.String(),
	authorization_url: Type.String({ description: "The page of the gateway where the payer pays" }),
	access_code: Type.String(),
});

/** Reads what a request for a checkout asks for. */
export const readCheckout = ({
	email,
	channels,
	mobile_money: mobileMoney,
}: Static<typeof CheckoutBody>) => ({
	...{ email, channels, mobileMoney },
});

/** The responses of a route that opens a checkout. */
export const checkoutResponses = { 200: CheckoutWire, 201: CheckoutWire };

/** Writes a checkout: the code of the answer, and its body. */
export function toCheckoutWire({ attempt, isNew }: StartedCheckout) {
	const { id, reference, authorizationUrl, accessCode } = attempt;
	if (authorizationUrl === null || accessCode === null)
		throw new Error(`the checkout ${id} was accepted without an address`);
	const body = { attempt_id: id, reference, authorization_url: authorizationUrl, access_code: accessCode };
	return { code: isNew ? (201 as const) : (200 as const), body };
}
