import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

export const settlementStates = ["announced", "paid", "matched"] as const;

/** What the card gateway pays out to the platform; amounts in lowest units. */
export type Settlement = {
	id: string;
	gateway_id: string;
	/** The gateway's word. */
	gateway_status: string;
	state: (typeof settlementStates)[number];
	currency: string;
	/** What arrives, and what its charges come to. */
	effective_minor: number;
	expected_minor: number;
	processed_minor: number | null;
	fees_minor: number | null;
	deductions_minor: number | null;
	settles_to: "bank" | "balance";
	settled_at: string;
	lines: number;
	matched: number;
};

/** A charge of a settlement, beside its receipt. */
export type SettlementLine = {
	id: string;
	transaction: string;
	reference: string;
	amount_minor: number;
	fee_minor: number | null;
	currency: string;
	channel: string | null;
	paid_at: string | null;
	state: string;
	receipt: { tenant_id: string; id: string; amount_minor: number; fee_minor: number } | null;
};

export const settlementsKey = ["treasury", "settlements"];

/** The address of settlements. Throws an Error if this installation has no treasury. */
export function settlementsAddress({ settings }: Platform): string {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform/settlements`;
}

/** A settlement. */
export const settlementQuery = (platform: Platform, id: string) =>
	queryOptions({
		queryKey: [...settlementsKey, "one", id],
		queryFn: ({ signal }) =>
			platform.client.call<Settlement>(`${settlementsAddress(platform)}/${encodeURIComponent(id)}`, {
				...{ outlet: "none", signal },
			}),
	});

/** The address of the charges of a settlement. */
export const linesAddress = (platform: Platform, id: string): string =>
	`${settlementsAddress(platform)}/${encodeURIComponent(id)}/lines`;

/** Has the settlements of a time fetched; a job does it. */
export const fetchSettlements = (platform: Platform, body: { from: string; to: string }): Promise<unknown> =>
	platform.client.call(`${settlementsAddress(platform)}/fetch`, { outlet: "none", method: "POST", body });
