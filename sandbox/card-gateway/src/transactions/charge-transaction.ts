import { type Channel, feeOf } from "../fees/fee.ts";
import { after, dayMs, type Gateway, hourMs } from "../gateway.ts";
import { move } from "../ledger/move.ts";
import { codeOf } from "../records/codes.ts";
import type { Authorization, Transaction, TransactionStatus } from "../records/tables.ts";
import { toCharged } from "./to-transaction.ts";

/** What the payer pays with. */
export type Means = { channel: Channel; cardNumber?: string; expiry?: string };

/**
 * Charges a transaction: the money is at the gateway, its fee is known, `charge.success` is published, and
 * the settlement is planned. The caller makes sure that it is not paid yet.
 */
export function chargeTransaction(
	gateway: Gateway,
	transaction: Transaction,
	authorization: Authorization,
): Transaction {
	const { store, now } = gateway;
	const at = now();
	const { channel } = authorization;
	const requestedAmount = amountPaid(gateway, transaction);
	const fees = feeOf(channel, requestedAmount);
	const charged = store.change("transactions", transaction, {
		status: "success",
		amount: bearsFee(gateway, transaction) ? requestedAmount + fees : requestedAmount,
		requestedAmount,
		channel,
		fees,
		gatewayResponse: channel === "card" ? "Successful" : "Approved",
		paidAt: at.toISOString(),
		authorizationCode: authorization.code,
		history: noted(transaction, `Successfully paid with ${words[channel]}`, "success"),
	});
	noteCharge(gateway, charged);
	gateway.plan("settle", charged.currency, settlementTime(gateway, at));
	gateway.publish("charge.success", toCharged(gateway, charged));
	return charged;
}

const words: Readonly<Record<Channel, string>> = {
	card: "card",
	bank_transfer: "bank transfer",
	mobile_money: "mobile money",
	ussd: "USSD",
};

/** The attempt of a payer that did not end in a charge. */
export function endAttempt(
	{ store }: Gateway,
	transaction: Transaction,
	{ status, channel, response }: { status: TransactionStatus; channel: Channel; response: string },
): Transaction {
	const attempted = noted(transaction, response, status === "failed" ? "error" : "action");
	return store.change("transactions", transaction, {
		...{ status, channel, gatewayResponse: response, history: attempted },
	});
}

/** The card or account of a payer, kept for later charges. Only a card can be charged again. */
export function authorize(gateway: Gateway, customerId: number, means: Means): Authorization {
	const { store, ids } = gateway;
	const { channel, cardNumber = "4084084084084081", expiry = "12/2030" } = means;
	const isCard = channel === "card";
	const [month = "12", year = "2030"] = expiry.split("/");
	return store.add("authorizations", (ordinal) => ({
		ordinal,
		code: `AUTH_${codeOf(ids, { purpose: "authorization", ordinal, length: 10 })}`,
		customerId,
		channel,
		bin: isCard ? cardNumber.slice(0, 6) : "000000",
		last4: isCard ? cardNumber.slice(-4) : "0000",
		expMonth: month.padStart(2, "0"),
		expYear: year.length === 2 ? `20${year}` : year,
		brand: isCard ? brandOf(cardNumber) : words[channel],
		bank: "TEST BANK",
		isReusable: isCard,
		signature: `SIG_${codeOf(ids, { purpose: "card", ordinal, length: 20 })}`,
	}));
}

const brandOf = (number: string) => (number.startsWith("5") ? "mastercard" : "visa");

/** The fault `mutate_amount`: the payer paid less than was asked. */
function amountPaid(gateway: Gateway, { amount }: Transaction): number {
	const isLess = gateway.takeFault("charge.success", "mutate_amount") !== undefined;
	return isLess ? Math.max(1, Math.floor(amount / 2)) : amount;
}

/** Payers who pay the fee on top of what is asked for, by their e-mail address. */
const bearsFee = ({ store }: Gateway, { customerId }: Transaction): boolean =>
	store.get("customers", "id", customerId).email.startsWith("bears-fee@");

function noteCharge(gateway: Gateway, { reference, amount, fees, currency }: Transaction): void {
	const of = { currency, subject: reference };
	move(gateway, { ...of, account: "unsettled", amount, kind: "charge" });
	move(gateway, { ...of, account: "unsettled", amount: -(fees ?? 0), kind: "fee" });
	move(gateway, { ...of, account: "fees", amount: fees ?? 0, kind: "fee" });
}

/** 01:00 UTC of the day of settlement. */
function settlementTime({ settings }: Gateway, paidAt: Date): Date {
	const day = new Date(Math.floor(paidAt.getTime() / dayMs) * dayMs);
	return after(day, settings.settlementDays * dayMs + hourMs);
}

const historyMax = 50;

function noted({ history }: Transaction, message: string, type: string): Transaction["history"] {
	const time = (history.at(-1)?.time ?? 0) + 1;
	return [...history, { type, message, time }].slice(-historyMax);
}
