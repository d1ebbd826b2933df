import type { Frequency } from "../gateways/profiles/profile.ts";
import type { Payee } from "../payments/intent.ts";

/** An amount that the card gateway charges to cards at an interval. */
export type CardPlan = {
	tenantId: string;
	id: string;
	/** `tenant`: for its own trade. `platform`: the tenant pays its bills. */
	payee: Payee;
	status: CardPlanStatus;
	name: string;
	frequency: Frequency;
	amountMinor: bigint;
	currency: string;
	/** The gateway's; null unless it is active. */
	planCode: string | null;
	failureCode: string | null;
	createdAt: Date;
};

/** `creating`: the gateway has not answered. It may have the plan, and is never asked for it again. */
export const cardPlanStatuses = ["creating", "active", "failed"] as const;
export type CardPlanStatus = (typeof cardPlanStatuses)[number];

/** The gateway's words for intervals. */
export const intervalOf = {
	...{ daily: "daily", weekly: "weekly", monthly: "monthly", quarterly: "quarterly" },
	...{ half_yearly: "biannually", yearly: "annually" },
} as const satisfies Readonly<Record<Frequency, string>>;
