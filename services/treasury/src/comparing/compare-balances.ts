import type { Proposal } from "../exceptions/exception.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../gateways/card-gateway/account.ts";
import { getBalance } from "../gateways/card-gateway/settlements.ts";
import { accounts } from "../ledger/postings/account.ts";
import { toProposed, topUp } from "../ledger/postings/settling.ts";
import type { Treasury } from "../treasury.ts";
import { findMoving, type Moving, platformBalanceOf } from "./balance.store.ts";
import { noteBalance } from "./note-balance.ts";

/**
 * Compares the transfer balance with the ledger's. What money in flight may explain does not count as a
 * difference. What it has more was topped up from the bank account, as far as is known. Returns how many
 * currencies were compared. Throws `gateway_unavailable` and `gateway_refused`.
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
	const moving = await findMoving(db, currency);
	const { code } = accounts.cardBalance;
	await db.transaction(async (tx) => {
		const oursMinor = await platformBalanceOf(tx, { code, currency });
		const amountMinor = theirsMinor - oursMinor;
		await noteBalance(tx, {
			...{ subject: `${code} ${currency}`, code, currency, oursMinor, theirsMinor, now: now() },
			mayBeFlight: isExplained(amountMinor, moving),
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
