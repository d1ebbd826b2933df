import { hasOpenException } from "../exceptions/exception.store.ts";
import type { Proposal } from "../exceptions/exception.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../gateways/card-gateway/account.ts";
import { getBalance } from "../gateways/card-gateway/settlements.ts";
import { accounts } from "../ledger/postings/account.ts";
import { toProposed, topUp } from "../ledger/postings/settling.ts";
import { toMinor } from "../money/amount.ts";
import type { Treasury } from "../treasury.ts";
import { findMoving, type Moving, platformBalanceOf } from "./balance.store.ts";

/**
 * Compares the transfer balance with the ledger's. What money in flight may explain does not count as a
 * difference, and one exception at a time is open. What it has more was topped up from the bank account,
 * as far as is known. Returns how many currencies were compared. Throws `gateway_unavailable` and
 * `gateway_refused`.
 */
export async function compareBalances(domain: Treasury, gateway: CardGateway): Promise<number> {
	const { balances } = requireAccepted(await getBalance(gateway)).ids;
	for (const [currency, theirsMinor] of Object.entries(balances))
		await compareBalance(domain, { currency, theirsMinor });
	return Object.keys(balances).length;
}

async function compareBalance(
	{ db, now }: Treasury,
	{ currency, theirsMinor }: { currency: string; theirsMinor: bigint },
): Promise<void> {
	const at = now();
	const moving = await findMoving(db, currency);
	await db.transaction(async (tx) => {
		const oursMinor = await platformBalanceOf(tx, { code: accounts.cardBalance.code, currency });
		const amountMinor = theirsMinor - oursMinor;
		const subject = `card.balance ${currency}`;
		if (isExplained(amountMinor, moving)) return;
		if (await hasOpenException(tx, { class: "balance", subject })) return;
		await raiseException(tx, {
			...{ class: "balance", subject: `${subject} ${at.toISOString()}` },
			...{ amountMinor, currency, now: at },
			ours: { account: "card.balance", amount_minor: toMinor(oursMinor) },
			theirs: { amount_minor: toMinor(theirsMinor) },
			proposed: proposalOf({ amountMinor, currency }, moving),
		});
	});
}

const isExplained = (amountMinor: bigint, { leavingMinor, arrivingMinor }: Moving): boolean =>
	-leavingMinor <= amountMinor && amountMinor <= arrivingMinor;

/** Nothing is proposed while money is in flight: posted later, that would be counted twice. */
function proposalOf(
	money: { amountMinor: bigint; currency: string },
	{ leavingMinor, arrivingMinor }: Moving,
): Proposal | undefined {
	if (money.amountMinor < 0n || leavingMinor > 0n || arrivingMinor > 0n) return undefined;
	return { tenant_id: null, purpose: "correction", lines: toProposed(topUp(money)) };
}
