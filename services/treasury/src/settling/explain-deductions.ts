import { closeExplained, findState } from "../exceptions/exception.store.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { toMinor } from "../money/amount.ts";
import { explainedDeductions, findDeductible, recordDeductions } from "../settlements/deduction.store.ts";
import type { Settlement } from "../settlements/settlement.ts";
import type { Treasury } from "../treasury.ts";

/**
 * Compares what a settlement deducts with refunds and lost disputes that no settlement deducted before, the
 * oldest first. Raises an exception if they do not come to it. Returns whether it is explained, or an
 * operator decided about it.
 */
export async function explainDeductions(
	{ db, now }: Pick<Treasury, "db" | "now">,
	{ id, gatewayId, currency }: Settlement,
	deductedMinor: bigint,
): Promise<boolean> {
	if (deductedMinor === (await explainedDeductions(db, id))) return true;
	const { fitting, allMinor } = await findDeductible(db, { currency, amountMinor: deductedMinor });
	const foundMinor = fitting.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
	const about = { class: "amount" as const, subject: `deductions of settlement ${gatewayId}` };
	return db.transaction(async (tx) => {
		if (foundMinor === deductedMinor) {
			await recordDeductions(tx, id, fitting);
			await closeExplained(tx, { ...about, now: now() });
			return true;
		}
		await raiseException(tx, {
			...{ ...about, currency, now: now(), amountMinor: deductedMinor - allMinor },
			ours: { settlement_id: id, returned_minor: toMinor(allMinor) },
			theirs: { settlement: gatewayId, deducted_minor: toMinor(deductedMinor) },
		});
		return (await findState(tx, about)) === "closed";
	});
}
