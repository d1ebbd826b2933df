import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

export const sides = ["debit", "credit"] as const;
export const owners = ["platform", "tenant"] as const;

export type JournalLine = {
	side: (typeof sides)[number];
	owner: (typeof owners)[number];
	/** The code of the account. */
	code: string;
	amount_minor: number;
};

/** What moved the money of a journal. */
const journalSources = [
	...(["receipt", "payment", "payout", "refund", "dispute", "settlement", "adjustment"] as const),
] as const;

export type JournalSource = { source_type: (typeof journalSources)[number]; source_id: string };

/** One movement of money in the books. */
export type Journal = {
	id: string;
	purpose: string;
	effective_at: string;
	posted_at: string;
	lines: Array<JournalLine & { currency: string }>;
};

/** The journals of one source, the first first. Throws an Error if this installation has no treasury. */
export function journalsQuery({ client, settings }: Platform, query: Partial<Record<string, string>>) {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return queryOptions({
		queryKey: ["treasury", "journals", query],
		queryFn: ({ signal }) =>
			client.call<{ items: Journal[] }>(`${treasury}/api/v1/platform/journals`, {
				...{ query, outlet: "none", signal },
			}),
	});
}
