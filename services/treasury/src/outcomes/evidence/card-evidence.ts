/** A card that a charge says can be charged again. */
export type ChargedCard = {
	/** A secret: it charges the card. */
	code: string;
	/** The gateway's name of the payer. */
	customerCode: string;
	brand: string;
	last4: string;
	expMonth: number;
	expYear: number;
};

/** What a charge says about where it comes from, if it has no reference of ours. */
export type ChargeOrigin = {
	/** The plan by which a card was charged. */
	planCode: string | undefined;
	customerCode: string | undefined;
	/** The token of the payment page at which it was paid. */
	pageToken: string | undefined;
	email: string | undefined;
	card: ChargedCard | undefined;
};

/** What is said about a card subscription. */
export type SubscriptionSaid =
	/** The gateway has it. */
	| { kind: "created" }
	/** The gateway did not take it. */
	| { kind: "refused"; code: string }
	| { kind: "charged" }
	| { kind: "charge_failed" }
	| { kind: "not_renewed" }
	| { kind: "disabled" }
	| { kind: "completed" }
	| { kind: "enabled" };
