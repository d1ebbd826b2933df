import { closeExplained, findState } from "../exceptions/exception.store.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { toMinor } from "../money/amount.ts";
import {
	type Deducted,
	type Deduction,
	explainedDeductions,
	listDeducted,
	listDeductible,
	replaceDeductions,
	sumOfDeductions,
} from "../settlements/deduction.store.ts";
import type { Settlement } from "../settlements/settlement.ts";
import type { Treasury } from "../treasury.ts";
import { exchangeDeductions } from "./exchange-deductions.ts";
import { fitDeductions } from "./fit-deductions.ts";

/**
 * Compares what a settlement deducts with refunds and lost disputes that no settlement deducted before. If
 * none of them come to it, it exchanges them with other settlements, or raises an exception. Returns whether
 * it is explained, or an operator decided about it.
 */
export async function explainDeductions(
	{ db, now }: Pick<Treasury, "db" | "now">,
	settlement: Settlement,
	deductedMinor: bigint,
): Promise<boolean> {
	const { id, gatewayId, currency } = settlement;
	if (deductedMinor === (await explainedDeductions(db, id))) return true;
	const before = await listDeducted(db, settlement);
	const own = before.filter(({ settlementId }) => settlementId === id);
	const free = [...own.flatMap(({ deductions }) => deductions), ...(await listDeductible(db, currency))];
	const [found, freeMinor] = [findDeducted({ id, deductedMinor }, free, before), sumOfDeductions(free)];
	const about = { class: "amount" as const, subject: `deductions of settlement ${gatewayId}` };
	return db.transaction(async (tx) => {
		if (found !== undefined) {
			const changed = new Set(found.map(({ settlementId }) => settlementId));
			const replaced = before.filter(({ settlementId }) => changed.has(settlementId));
			await replaceDeductions(tx, replaced, found);
			await closeExplained(tx, { ...about, now: now() });
			return true;
		}
		await raiseException(tx, {
			...{ ...about, currency, now: now(), amountMinor: deductedMinor - freeMinor },
			ours: { settlement_id: id, returned_minor: toMinor(freeMinor) },
			theirs: { settlement: gatewayId, deducted_minor: toMinor(deductedMinor) },
		});
		return (await findState(tx, about)) === "closed";
	});
}

type Asked = { id: string; deductedMinor: bigint };

/** Returns what a settlement deducted, and others that exchanged something with it. */
function findDeducted(
	{ id: settlementId, deductedMinor: amountMinor }: Asked,
	free: readonly Deduction[],
	before: readonly Deducted[],
): Deducted[] | undefined {
	const deductions = fitDeductions(free, amountMinor);
	if (deductions !== undefined) return [{ settlementId, deductions }];
	const others = before.filter((one) => one.settlementId !== settlementId);
	return exchangeDeductions({ settlementId, amountMinor }, free, others);
}
