import { inTenant } from "@lango/postgres";
import { readOrigin } from "../gateways/card-gateway/events/read-origin.ts";
import { paidByCharge } from "../gateways/card-gateway/said-by-charge.ts";
import type { Transaction } from "../gateways/card-gateway/transactions.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import type { Treasury } from "../treasury.ts";
import { countPlaced } from "./count-placed.ts";
import { placeCharge } from "./place-charge.ts";

/**
 * Counts a successful charge that the gateway listed, if it belongs to something of ours: its event was
 * lost.
 */
export async function countTransaction(
	{ db, keys, now }: Pick<Treasury, "db" | "keys" | "now">,
	transaction: Transaction,
): Promise<void> {
	const origin = readOrigin(transaction.data);
	const place = await placeCharge(db, origin);
	if (place === undefined) return;
	const { id: receipt, amountMinor: paidMinor, reference } = transaction;
	const paid = paidByCharge(transaction);
	const charge = { ...paid, receipt, amountMinor: paid.amountMinor ?? paidMinor, reference };
	const counting = { place, origin, charge, source: "query", sourceId: undefined, keys } as const;
	await retryConflicts(() =>
		inTenant(db, place.tenantId, (tx) => countPlaced(tx, { ...counting, now: now() })),
	);
}
