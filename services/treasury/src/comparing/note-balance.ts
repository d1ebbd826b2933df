import type { Database } from "@lango/postgres";
import { closeBeginning, renewException } from "../exceptions/exception.store.ts";
import type { Proposal } from "../exceptions/exception.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { toMinor } from "../money/amount.ts";

/** What the treasury and the gateway have in one account. */
type Compared = {
	/** The account, and the currency if it has several. */
	subject: string;
	code: string;
	currency: string;
	oursMinor: bigint;
	theirsMinor: bigint;
	/** The question by which the gateway said it. */
	queryId?: string;
	/** Whether money in flight may be the difference. */
	mayBeFlight: boolean;
	proposed: Proposal | undefined;
	now: Date;
};

/**
 * Raises an exception if a balance differs. One at a time is open about an account: it follows the
 * difference, and is closed when both are equal.
 */
export async function noteBalance(tx: Database, compared: Compared): Promise<void> {
	const { subject, code, currency, oursMinor, theirsMinor, queryId, mayBeFlight, proposed, now } = compared;
	const amountMinor = theirsMinor - oursMinor;
	const begin = `${subject} `;
	if (amountMinor === 0n) return closeBeginning(tx, { class: "balance", begin, now });
	const difference = {
		...{ class: "balance" as const, amountMinor, proposed },
		ours: { account: code, amount_minor: toMinor(oursMinor) },
		theirs: { ...(queryId !== undefined && { query_id: queryId }), amount_minor: toMinor(theirsMinor) },
	};
	if ((await renewException(tx, { ...difference, begin })) || mayBeFlight) return;
	const named = { subject: `${begin}${now.toISOString()}`, isRepeatable: true };
	await raiseException(tx, { ...difference, ...named, currency, now });
}
