import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { type CardAuthorization, expiryOf } from "./card-authorization.ts";

/** A card that can be charged again. */
export const CardAuthorizationWire = Type.Object({
	id: Uuid,
	brand: Type.String({ examples: ["visa"] }),
	last4: Type.String({ examples: ["4081"] }),
	expires_on: Type.String({ format: "date", description: "The last day on which it can be charged" }),
	last_used_at: Type.String({ format: "date-time" }),
});

/** A card as the API shows it. */
export const toCardAuthorizationWire = (card: CardAuthorization): Static<typeof CardAuthorizationWire> => ({
	...{ id: card.id, brand: card.brand, last4: card.last4, expires_on: expiryOf(card) },
	last_used_at: card.lastUsedAt.toISOString(),
});
