import type { ChargedCard } from "../outcomes/evidence/card-evidence.ts";
import type { Payee } from "../payments/intent.ts";

/** A card that paid once, and that its payer lets be charged again. */
export type CardAuthorization = Omit<ChargedCard, "code"> & {
	tenantId: string;
	id: string;
	/** `tenant`: it paid for the tenant's trade. `platform`: it paid the tenant's bills. */
	payee: Payee;
	lastUsedAt: Date;
	createdAt: Date;
};

/** What the encrypted code of an authorization is bound to. */
export const authorizationContext = "treasury|card authorization";

type Expiry = Pick<ChargedCard, "expMonth" | "expYear">;

/** The last day on which a card can be charged, as `YYYY-MM-DD`. */
export function expiryOf({ expMonth, expYear }: Expiry): string {
	return new Date(Date.UTC(expYear, expMonth, 0)).toISOString().slice(0, 10);
}

/** Whether a card cannot be charged any more. */
export const isExpired = ({ expMonth, expYear }: Expiry, now: Date): boolean =>
	now.getTime() >= Date.UTC(expYear, expMonth, 1);
