import type { Platform } from "../../platform.ts";

/** What the gateway has not said the outcome of, or the platform owner has to decide about. */
export const unresolvedKinds = ["attempt", "payout", "refund"] as const;
/** The same, and webhooks that are parked. */
export const countedKinds = [...unresolvedKinds, "webhook"] as const;
/** Younger than an hour, a day, a week; older. */
export const ages = ["hour", "day", "week", "older"] as const;

/** A payment, payout or refund of any organisation whose outcome is not known. */
export type Unresolved = {
	id: string;
	tenant_id: string;
	/** The request for payment of an attempt. */
	intent_id: string | null;
	/** The bill of Lango that an attempt pays. */
	operation_id: string | null;
	/** The receipt that a refund is of. */
	receipt_id: string | null;
	status: string;
	needs_review: boolean;
	/** The operator who says that a refund failed. */
	proposed_by: string | null;
	amount_minor: number;
	currency: string;
	since: string;
};

export const unresolvedKey = ["treasury", "unresolved"];

/** The address of what is not known. Throws an Error if this installation has no treasury. */
export function unresolvedAddress({ settings }: Platform): string {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform/unresolved`;
}
