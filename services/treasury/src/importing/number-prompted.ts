import { type Database, inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { lockPayable } from "../outcomes/collecting/lock-payable.ts";
import { findUnnumbered, lockUnnumbered } from "../receipts/fitting-receipt.store.ts";
import { after, before, fitsPrompt } from "../receipts/receipt.ts";
import type { ComparedLine } from "./statement-line.store.ts";

/**
 * Gives the number of a line to what a prompt brought to the shortcode of its statement: a question found it
 * paid, and said no number. Returns it; undefined if the line fits none. Call it outside of a transaction.
 */
export async function numberPrompted(
	db: Database,
	{ id: sourceId, reference: receipt, amountMinor, currency, at: paidAt }: ComparedLine,
	{ source: shortcode, now: at }: { source: string; now: Date },
): Promise<ComparedLine["found"]> {
	const money = { shortcode, amountMinor, paid: { from: before(paidAt), until: after(paidAt) } };
	const place = await findUnnumbered(db, money);
	if (place === undefined) return undefined;
	const { tenantId, intentId, custody } = place;
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockPayable(tx, { tenantId, intentId });
			const unnumbered = await lockUnnumbered(tx, { ...money, intentId });
			const fitting = unnumbered.find(({ receipt: { occurredAt: until }, prompt }) =>
				fitsPrompt({ payerMasked: null, occurredAt: paidAt }, { ...prompt, until }),
			);
			if (fitting === undefined) return undefined;
			const countedId = intentId === undefined ? fitting.receipt.id : undefined;
			await applyOutcome(tx, {
				...{ tenantId, intentId, countedId, isTrusted: true, source: "statement", sourceId, at },
				money: {
					...{ receipt, shortcode, custody, amountMinor, currency, paidAt },
					...{ accountRef: null, payerMasked: null },
				},
			});
			return { kind: "receipt" as const, tenantId, id: fitting.receipt.id, amountMinor };
		}),
	);
}
