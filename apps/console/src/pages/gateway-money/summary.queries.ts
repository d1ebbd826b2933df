import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import type { ages, countedKinds } from "../unresolved/unresolved.queries.ts";

/** The platform's money at the card gateway in one currency, and what payouts take of it. */
export type Float = {
	currency: string;
	balance_minor: number;
	unsettled_minor: number;
	sent_minor: number;
	approved_minor: number;
	waiting_minor: number;
	/** The balance after what is sent and approved. */
	forecast_minor: number;
};

/** What a channel cost in the last 30 days, and how much more than estimated. */
export type ChannelFees = { channel: string; currency: string; fee_minor: number; variance_minor: number };

/** What is not known, counted by age. */
export type Unresolved = Readonly<
	Record<(typeof countedKinds)[number], Readonly<Record<(typeof ages)[number], number>>>
>;

type Summary = { float: Float[]; fees: ChannelFees[]; unresolved: Unresolved };

const refreshMs = 30_000;

/** The operator's overview of money at gateways. Throws an Error if this installation has no treasury. */
export function summaryQuery({ client, settings }: Platform) {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return queryOptions({
		queryKey: ["treasury", "summary"],
		queryFn: ({ signal }) =>
			client.call<Summary>(`${treasury}/api/v1/platform/treasury-summary`, { outlet: "none", signal }),
		refetchInterval: refreshMs,
	});
}
