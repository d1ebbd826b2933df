import type { Platform } from "../../platform.ts";
import type { JournalLine } from "../journals/journal.queries.ts";

export const exceptionClasses = [
	...(["amount", "balance", "currency", "duplicate", "fee", "late"] as const),
	...(["missing_here", "missing_there", "status"] as const),
] as const;
export const exceptionStates = ["open", "closed"] as const;
export const resolutions = ["posted", "matched", "waived"] as const;

/** What a gateway and the treasury disagree about. */
export type Exception = {
	id: string;
	class: string;
	/** What it is about, for example a reference. */
	subject: string;
	amount_minor: number;
	currency: string;
	/** What the treasury has recorded, and what the gateway says. */
	ours: Readonly<Record<string, unknown>>;
	theirs: Readonly<Record<string, unknown>>;
	/** The journal that would explain it; null: no journal would, or it was posted. */
	proposed: { tenant_id: string | null; purpose: string; lines: JournalLine[] } | null;
	state: (typeof exceptionStates)[number];
	raised_at: string;
	/** What an operator decided. */
	resolution: {
		as: (typeof resolutions)[number];
		because: string;
		receipt_ids: string[];
		resolved_at: string;
	} | null;
};

/** What an operator decides about an exception. */
export type Resolution = { as: string; because: string; receipt_ids?: string[] };

export const exceptionsKey = ["treasury", "exceptions"];

/** The address of what sources disagree about. Throws an Error if this installation has no treasury. */
export function exceptionsAddress({ settings }: Platform): string {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform/reconciliation/exceptions`;
}

/** Resolves an exception. `adjustment_id`: what another operator has to approve first. */
export const resolveException = (
	platform: Platform,
	id: string,
	body: Resolution,
): Promise<{ adjustment_id: string | null }> =>
	platform.client.call(`${exceptionsAddress(platform)}/${encodeURIComponent(id)}/resolve`, {
		...{ outlet: "none", method: "POST", body },
	});
