import { closeExplained, findState } from "../exceptions/exception.store.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { toMinor } from "../money/amount.ts";
import {
	explainedDeductions,
	listDeductible,
	recordDeductions,
	sumOfDeductions,
} from "../settlements/deduction.store.ts";
import type { Settlement } from "../settlements/settlement.ts";
import type { Treasury } from "../treasury.ts";
import { fitDeductions } from "./fit-deductions.ts";

/**
 * Compares what a settlement deducts with refunds and lost disputes that no settlement deducted before.
 * Raises an exception if none of them come to it. Returns whether it is explained, or an
 * operator decided about it.
 */
export async function explainDeductions(
	{ db, now }: Pick<Treasury, "db" | "now">,
	{ id, gatewayId, currency }: Settlement,
	deductedMinor: bigint,
): Promise<boolean> {
	if (deductedMinor === (await explainedDeductions(db, id))) return true;
	const all = await listDeductible(db, currency);
	const [fitting, allMinor] = [fitDeductions(all, deductedMinor), sumOfDeductions(all)];
	const about = { class: "amount" as const, subject: `deductions of settlement ${gatewayId}` };
	return db.transaction(async (tx) => {
		if (fitting !== undefined) {
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
