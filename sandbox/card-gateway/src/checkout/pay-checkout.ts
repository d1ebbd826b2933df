import { Refusal } from "../answers/refusal.ts";
import type { Channel } from "../fees/fee.ts";
import type { Gateway } from "../gateway.ts";
import { publishPagePaid } from "../pages/payment-page.ts";
import type { Transaction } from "../records/tables.ts";
import { authorize, chargeTransaction, endAttempt, type Means } from "../transactions/charge-transaction.ts";

/**
 * What a payer can do at the checkout. `wait`: to leave the payment pending, as with a transfer that is still
 * to come.
 */
export const actions = ["pay", "decline", "wait", "abandon"] as const;
export type CheckoutAction = (typeof actions)[number];
export type Payer = Means & { phone?: string };

/** The transaction of a checkout. Opening it for the first time makes an abandoned one ongoing. */
export function openCheckout({ store }: Gateway, accessCode: string): Transaction {
	const found = store.find("transactions", "accessCode", accessCode);
	if (found === undefined)
		throw new Refusal({
			status: 404,
			message: "There is no such checkout",
			code: "access_code_not_found",
			nextStep: "Use the authorization_url of the transaction",
		});
	const isNew = found.status === "abandoned" && found.history.length === 0;
	return isNew ? store.change("transactions", found, { status: "ongoing" }) : found;
}

/** Does what the payer chose, and returns the transaction. A paid one stays as it is. */
export function payCheckout(
	gateway: Gateway,
	opened: Transaction,
	{ action, ...payer }: Payer & { action: CheckoutAction },
): Transaction {
	if (opened.status === "success" || opened.status === "reversed") return opened;
	const { channel } = payer;
	if (!opened.channels.includes(channel))
		throw new Refusal({
			message: "This transaction cannot be paid by this channel",
			code: "channel_unavailable",
			nextStep: `Use one of ${opened.channels.join(", ")}`,
		});
	const chosen = action === "pay" ? outcomeOf(payer) : outcomes[action];
	if (chosen !== undefined) return endAttempt(gateway, opened, { channel, ...chosen });
	const charged = chargeTransaction(gateway, opened, authorize(gateway, opened.customerId, payer));
	publishPagePaid(gateway, charged);
	return charged;
}

type Outcome = { status: "failed" | "pending" | "abandoned"; response: string };

const outcomes: Readonly<Record<Exclude<CheckoutAction, "pay">, Outcome>> = {
	decline: { status: "failed", response: "Declined" },
	wait: { status: "pending", response: "Waiting for the payment" },
	abandon: { status: "abandoned", response: "The transaction was not completed" },
};

/** Phones that do not pay, by their last three digits. */
const phones: Readonly<Record<string, Outcome>> = {
	"032": { status: "failed", response: "Cancelled by the user" },
	"037": { status: "pending", response: "Waiting for the payment" },
	"201": { status: "failed", response: "Wrong PIN" },
	"100": { status: "failed", response: "Insufficient funds" },
};

/** Undefined: it is paid. */
function outcomeOf({ channel, phone = "", cardNumber = "" }: Payer): Outcome | undefined {
	if (channel === "mobile_money") return phones[phone.slice(-3)];
	return channel === "card" && cardNumber.endsWith("0002") ? outcomes.decline : undefined;
}

/** Where the browser goes afterwards; null when the merchant named no address. */
export function returnAddress({ callbackUrl, reference }: Transaction): string | null {
	if (callbackUrl === null) return null;
	const url = new URL(callbackUrl);
	url.searchParams.set("trxref", reference);
	url.searchParams.set("reference", reference);
	return url.href;
}

/** The name of each channel. */
export const channelNames: Readonly<Record<Channel, string>> = {
	card: "Card",
	bank_transfer: "Bank transfer",
	mobile_money: "Mobile money",
	ussd: "USSD",
};
