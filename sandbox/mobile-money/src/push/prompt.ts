/** How a prompt ended, besides by paying. */
export const promptActions = [
	"accept",
	"cancel",
	"wrong_pin",
	"no_balance",
	"expire",
	"unreachable",
	"silent",
] as const;
export type PromptAction = (typeof promptActions)[number];

/** A question on a phone: pay this amount to this shortcode, once or again and again. */
export type Prompt = {
	/** Its CheckoutRequestID, or the responseRefID of a standing order. */
	id: string;
	merchantRequestId: string;
	/** Of the call. */
	ordinal: number;
	shortcode: string;
	phone: string;
	amountMinor: number;
	reference: string;
	description: string;
	callbackUrl: string;
	/** What is asked is the consent to a standing order; null: a payment. */
	order: { name: string; frequency: string; startDate: string; endDate: string } | null;
	at: string;
	expiresAt: string;
	/** Null while it is open. */
	resultCode: number | null;
	answeredAt: string | null;
	receipt: string | null;
};

/** The texts of result codes. */
export const pushTexts: Readonly<Record<number, string>> = {
	0: "The service request is processed successfully.",
	1: "The balance is insufficient for the transaction.",
	17: "Rule limited.",
	1019: "Transaction has expired",
	1032: "Request cancelled by user",
	1037: "No response from user.",
	2001: "The initiator information is invalid.",
};

/** The code of an action that does not pay. */
export const codeOfAction: Readonly<Record<Exclude<PromptAction, "accept">, number>> = {
	cancel: 1032,
	wrong_pin: 2001,
	no_balance: 1,
	expire: 1019,
	unreachable: 1037,
	silent: 1037,
};
