import type { Intent } from "../payments/intent.ts";
import { admitsPush } from "../prompts/push-amount.ts";
import type { BillingMethod } from "./billing-method.store.ts";

/** What is collected without a person. */
export const automaticKinds: readonly string[] = ["renewal", "overage"];

/** The phone that is asked to pay a bill without a person; undefined: a person has to pay it. */
export const phoneFor = (
	bill: Pick<Intent, "channels" | "currency">,
	{ kind, phone }: BillingMethod,
): string | undefined => (kind === "push" && phone !== null && admitsPush(bill) ? phone : undefined);
