import { type Database, inTenant } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import { keepFee, toProposed, varyUnsettled } from "../ledger/postings/settling.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { findOwnerId } from "../platform-owner.ts";
import { concludeSettlement } from "../settlements/settlement.store.ts";
import type { Settlement } from "../settlements/settlement.ts";
import { sumLines } from "../settlements/settlement-line.store.ts";
import type { Treasury } from "../treasury.ts";
import { compareSettlement } from "./compare-settlement.ts";
import { explainDeductions } from "./explain-deductions.ts";

/** Charges that are not counted are looked at again after an hour: they may be counted until then. */
export const againAfterMs = 3_600_000;

/**
 * Compares a settlement with its charges and deductions, and stores what became of it. What the operator has
 * to confirm is not looked at again before.
 */
export async function concludeSettling(domain: Treasury, settlement: Settlement): Promise<void> {
	const { db, now } = domain;
	const { id: settlementId, currency } = settlement;
	const sums = await sumLines(db, { settlementId, currency });
	const { deductedMinor, ...difference } = compareSettlement(settlement, sums);
	const isExplained = await explainDeductions(domain, settlement, deductedMinor);
	const at = now();
	const nextCheckAt = sums.missing === 0 && isExplained ? undefined : new Date(at.getTime() + againAfterMs);
	const isMatched = sums.missing + sums.differing + sums.proposed === 0 && isExplained;
	const isTolerated = isMatched && (await isWithinTolerance(domain, difference.amountMinor));
	if (isTolerated) await postVariance(domain, settlement, -difference.amountMinor);
	const raised = isTolerated ? { ...difference, amountMinor: 0n } : difference;
	await db.transaction(async (tx) => {
		await raiseDifferences(tx, settlement, { ...raised, now: at });
		const state = isMatched ? "matched" : "paid";
		await concludeSettlement(tx, { id: settlementId, state, nextCheckAt });
	});
}

async function isWithinTolerance({ gateways }: Treasury, amountMinor: bigint): Promise<boolean> {
	if (amountMinor === 0n) return false;
	const { profile } = await gateways.requireCardGateway();
	const tolerance = BigInt(profile.settings.variance_tolerance_minor);
	return amountMinor <= tolerance && -amountMinor <= tolerance;
}

async function postVariance(domain: Treasury, settlement: Settlement, amountMinor: bigint): Promise<void> {
	const { id: settlementId, gatewayId, currency } = settlement;
	const tenantId = await findOwnerId(domain);
	const about = { tenantId, source: "statement", sourceId: gatewayId, at: domain.now() } as const;
	const variance = { settlementId, amountMinor, currency };
	await retryConflicts(() => inTenant(domain.db, tenantId, (tx) => applyOutcome(tx, { ...about, variance })));
}

type Differing = { amountMinor: bigint; feeMinor: bigint; expectedMinor: bigint; now: Date };

async function raiseDifferences(
	tx: Database,
	settlement: Settlement,
	{ amountMinor, feeMinor, expectedMinor, now }: Differing,
): Promise<void> {
	const { id: settlementId, gatewayId, currency, effectiveMinor, feesMinor } = settlement;
	const about = { subject: `settlement ${gatewayId}`, settlementId, currency, now };
	const ours = { settlement_id: settlementId, amount_minor: toMinor(expectedMinor) };
	const theirs = {
		...{ settlement: gatewayId, amount_minor: toMinor(effectiveMinor) },
		...(feesMinor !== undefined && { fee_minor: toMinor(feesMinor) }),
	};
	if (feeMinor !== 0n) {
		const lines = toProposed(keepFee({ amountMinor: feeMinor, currency }));
		const proposed = { tenant_id: null, purpose: "correction" as const, lines };
		await raiseException(tx, { ...about, class: "fee", amountMinor: feeMinor, ours, theirs, proposed });
	}
	if (amountMinor !== 0n) {
		const lines = toProposed(varyUnsettled({ amountMinor: -amountMinor, currency }));
		const proposed = { tenant_id: null, purpose: "variance" as const, lines };
		await raiseException(tx, { ...about, class: "amount", amountMinor, ours, theirs, proposed });
	}
}
