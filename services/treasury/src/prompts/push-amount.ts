import type { Failure } from "@lango/chassis";
import Type from "typebox";
import type { MobileMoneySettings } from "../gateways/profiles/profile.ts";
import { mobileMoneyCurrency } from "../money/amount.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { Intent } from "../payments/intent.ts";

/** Mobile money takes whole units of the currency only. */
const pushUnitMinor = 100n;

/** An amount rounded up to what mobile money takes. */
export function toPushUnits(amountMinor: bigint): bigint {
	const part = amountMinor % pushUnitMinor;
	return part === 0n ? amountMinor : amountMinor + pushUnitMinor - part;
}

/** The codes of the failures of prompts for an amount. */
const amountRefusals = ["amount_not_whole", "amount_out_of_range"] as const;
type AmountRefusal = (typeof amountRefusals)[number];

/** What a prompt asks for: what is due, of a bill rounded up to whole units. */
export const amountOfPush = (dueMinor: bigint, { payee }: Pick<Intent, "payee">): bigint =>
	payee === "platform" ? toPushUnits(dueMinor) : dueMinor;

/** Why a prompt cannot ask for this amount by the gateway's profile; undefined if it can. */
export function whyNotByPush(
	amountMinor: bigint,
	{ payment_max_minor }: Pick<MobileMoneySettings, "payment_max_minor">,
): AmountRefusal | undefined {
	if (amountMinor % pushUnitMinor !== 0n) return "amount_not_whole";
	return amountMinor > BigInt(payment_max_minor) ? "amount_out_of_range" : undefined;
}

/** The reason in responses; null: a phone can be asked to pay what is due. */
export const PromptRefusalWire = Type.Union([
	Type.Enum(amountRefusals, {
		type: "string",
		description: "Why a phone cannot be asked to pay what is due; null: it can",
	}),
	Type.Null(),
]);

/** The failure of a prompt for this amount; undefined if a prompt can ask for it by the gateway's profile. */
export function refusalOfPush(
	amountMinor: bigint,
	settings: Pick<MobileMoneySettings, "payment_max_minor">,
): Failure | undefined {
	const code = whyNotByPush(amountMinor, settings);
	return code && paymentFailures[code]();
}

/** Whether mobile money can pay an intent. */
export const admitsPush = ({ channels, currency }: Pick<Intent, "channels" | "currency">): boolean =>
	channels.includes("push") && currency === mobileMoneyCurrency;
