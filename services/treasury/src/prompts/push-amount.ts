import type { Failure } from "@lango/chassis";
import { paymentFailures } from "../payments/failures.ts";
import type { Intent } from "../payments/intent.ts";

/** Mobile money takes whole units of the currency only. */
const pushUnitMinor = 100n;
/** The only currency of mobile money. */
export const pushCurrency = "KES";
const pushMaxMinor = 25_000_000n;

/** An amount rounded up to what mobile money takes. */
export function toPushUnits(amountMinor: bigint): bigint {
	const part = amountMinor % pushUnitMinor;
	return part === 0n ? amountMinor : amountMinor + pushUnitMinor - part;
}

/** The failure of a prompt for this amount; undefined if a prompt can ask for it. */
export function refusalOfPush(amountMinor: bigint): Failure | undefined {
	if (amountMinor % pushUnitMinor !== 0n) return paymentFailures.amount_not_whole();
	return amountMinor > pushMaxMinor ? paymentFailures.amount_out_of_range() : undefined;
}

/** Whether mobile money can pay an intent. */
export const admitsPush = ({ channels, currency }: Pick<Intent, "channels" | "currency">): boolean =>
	channels.includes("push") && currency === pushCurrency;
