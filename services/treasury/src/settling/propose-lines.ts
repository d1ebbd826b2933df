import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { closeExplained } from "../exceptions/exception.store.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { toMinor } from "../money/amount.ts";
import { listDeductible, sumOfDeductions } from "../settlements/deduction.store.ts";
import { delaySettlement, markListed } from "../settlements/settlement.store.ts";
import type { Settlement } from "../settlements/settlement.ts";
import { recordLines } from "../settlements/settlement-line.store.ts";
import { findUnsettledUpTo, type Unsettled } from "../settlements/unsettled.store.ts";
import type { Treasury } from "../treasury.ts";

/**
 * Proposes which charges a settlement contains whose charges the gateway does not list: the oldest that are
 * not settled, if their net comes to it. The operator has to confirm them. Without such charges an exception
 * is raised, and it is tried again later. Returns whether there are lines.
 */
export async function proposeLines(
	{ db, now }: Pick<Treasury, "db" | "now">,
	settlement: Settlement,
): Promise<boolean> {
	const { currency, gatewayId } = settlement;
	const netsMinor = await netsOf(db, settlement);
	const charges = await findUnsettledUpTo(db, { currency, netsMinor });
	const at = now();
	await db.transaction(async (tx) => {
		if (charges.length === 0) return raiseUnfitting(tx, settlement, at);
		await closeExplained(tx, { ...unfitting(gatewayId), now: at });
		await propose(tx, { settlement, charges, at });
	});
	return charges.length > 0;
}

/** What its charges may come to: without a statement nothing is deducted, or all that can be. */
async function netsOf(db: Database, settlement: Settlement): Promise<bigint[]> {
	const { currency, effectiveMinor, deductionsMinor } = settlement;
	if (deductionsMinor !== undefined) return [effectiveMinor + deductionsMinor];
	return [effectiveMinor, effectiveMinor + sumOfDeductions(await listDeductible(db, currency))];
}

type Proposing = { settlement: Settlement; charges: readonly Unsettled[]; at: Date };

async function propose(tx: Database, { settlement, charges, at }: Proposing): Promise<void> {
	const { id: settlementId, gatewayId, currency, effectiveMinor: amountMinor } = settlement;
	const lines = charges.map((charge) => ({ ...charge, id: uuidV7(at), settlementId }));
	await recordLines(tx, lines, "proposed");
	await markListed(tx, settlementId, at);
	await raiseException(tx, {
		...{ class: "missing_there", subject: `lines of settlement ${gatewayId}`, settlementId, now: at },
		...{ amountMinor, currency },
		ours: {
			...{ settlement_id: settlementId, charges: charges.length },
			...{ until: charges.at(-1)?.paidAt?.toISOString() ?? null },
		},
		theirs: { settlement: gatewayId, amount_minor: toMinor(amountMinor) },
	});
}

/** Charges may be counted until then. */
const againAfterMs = 3_600_000;

const unfitting = (gatewayId: string) => ({
	...{ class: "amount" as const, subject: `charges of settlement ${gatewayId}` },
});

async function raiseUnfitting(tx: Database, settlement: Settlement, now: Date): Promise<void> {
	const { id: settlementId, gatewayId, currency, effectiveMinor: amountMinor } = settlement;
	await raiseException(tx, {
		...{ ...unfitting(gatewayId), settlementId, amountMinor, currency, now },
		ours: { settlement_id: settlementId },
		theirs: { settlement: gatewayId, amount_minor: toMinor(amountMinor) },
	});
	await delaySettlement(tx, settlementId, new Date(now.getTime() + againAfterMs));
}
