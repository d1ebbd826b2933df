import type { MobileMoneySettings } from "../../gateways/profiles/profile.ts";
import type { Intent } from "../../payments/intent.ts";
import { admitsPush, refusalOfPush, toPushUnits } from "../../prompts/push-amount.ts";
import type { BillingMethod } from "./billing-method.store.ts";

/** What is collected without a person. */
export const automaticKinds: readonly string[] = ["renewal", "overage"];

/** Whether a bill is collected without a person. */
export const isAutomatic = ({ operationKind }: Pick<Intent, "operationKind">): boolean =>
	automaticKinds.includes(operationKind ?? "");

/** What a phone needs to pay a bill: the method of the tenant, and what the gateway takes. */
type Paying = { method: BillingMethod; settings: MobileMoneySettings };

type Due = Pick<Intent, "channels" | "currency"> & { dueMinor: bigint };

/**
 * The phone that is asked to pay a bill without a person; undefined: a person has to pay it. That of a
 * standing order is asked once the order pays nothing any more.
 */
export function phoneFor(bill: Due, { method: { kind, phone }, settings }: Paying): string | undefined {
	if (kind === "none" || phone === null || !admitsPush(bill)) return undefined;
	return refusalOfPush(toPushUnits(bill.dueMinor), settings) === undefined ? phone : undefined;
}
