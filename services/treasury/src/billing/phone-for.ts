import type { Intent } from "../payments/intent.ts";
import { admitsPush, refusalOfPush, toPushUnits } from "../prompts/push-amount.ts";
import type { BillingMethod } from "./billing-method.store.ts";

/** What is collected without a person. */
export const automaticKinds: readonly string[] = ["renewal", "overage"];

type Due = Pick<Intent, "channels" | "currency"> & { dueMinor: bigint };

/** The phone that is asked to pay a bill without a person; undefined: a person has to pay it. */
export function phoneFor(bill: Due, { kind, phone }: BillingMethod): string | undefined {
	if (kind !== "push" || phone === null || !admitsPush(bill)) return undefined;
	return refusalOfPush(toPushUnits(bill.dueMinor)) === undefined ? phone : undefined;
}
