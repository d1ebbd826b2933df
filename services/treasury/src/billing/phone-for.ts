import type { Intent } from "../payments/intent.ts";
import { admitsPush } from "../prompts/push-amount.ts";
import type { BillingMethod } from "./billing-method.store.ts";

/** The phone that is asked to pay a bill without a person; undefined: a person has to pay it. */
export const phoneFor = (
	bill: Pick<Intent, "channels" | "currency">,
	{ kind, phone }: BillingMethod,
): string | undefined => (kind === "push" && phone !== null && admitsPush(bill) ? phone : undefined);
