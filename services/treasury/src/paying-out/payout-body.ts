import { Line } from "@lango/contracts";
import Type from "typebox";
import { AmountMinor } from "../money/amount.ts";
import { payoutFailures } from "../payouts/failures.ts";

/** The headers of a request for payouts. */
export const KeyHeaders = Type.Object({
	"idempotency-key": Type.Optional(
		Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Required. Chosen by the caller" }),
	),
});

/** A payout as it is asked for. */
export const PayoutBody = {
	rail: Type.Enum(["card_gateway", "mobile_money"], {
		type: "string",
		description: "card_gateway: from what the platform holds. mobile_money: from the own shortcode",
	}),
	recipient_id: Type.Optional(
		Type.String({ format: "uuid", description: "card_gateway: by default that of the payout settings" }),
	),
	amount_minor: Type.Optional(AmountMinor),
	kind: Type.Optional(
		Type.Enum(["customer", "personal_till", "business", "own_working"], {
			...{ type: "string", description: "mobile_money: required" },
		}),
	),
	to: Type.Optional(
		Type.String({ minLength: 5, maxLength: 20, description: "mobile_money: a phone, a till or a paybill" }),
	),
	account: Type.Optional(Line(12)),
	command: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
	remarks: Type.Optional(Line(100)),
};

/** The Idempotency-Key of a request. Throws `idempotency_key_required`. */
export function requireKey({ headers }: { headers: { "idempotency-key"?: string } }): string {
	const key = headers["idempotency-key"];
	if (key === undefined) throw payoutFailures.idempotency_key_required();
	return key;
}
