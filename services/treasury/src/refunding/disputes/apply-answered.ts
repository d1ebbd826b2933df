import type { Database } from "@lango/postgres";
import { raiseException } from "../../exceptions/raise-exception.ts";
import type { AnsweredDispute } from "../../gateways/card-gateway/disputes.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { toMinor } from "../../money/amount.ts";
import { applyStatedDispute, uncountedException } from "../../outcomes/apply-stated-dispute.ts";
import type { Treasury } from "../../treasury.ts";

/**
 * Applies a dispute as the card gateway answered it. One whose charge is not counted, with another currency,
 * or in a state that is not known raises an exception, and changes nothing.
 */
export async function applyAnswered(
	{ db, now }: Pick<Treasury, "db" | "now">,
	answered: AnsweredDispute,
): Promise<void> {
	const at = now();
	const about = { source: "query", sourceId: undefined, at } as const;
	await retryConflicts(() =>
		db.transaction(async (tx) => {
			const missing = uncountedException(answered.dispute.gatewayId);
			if (answered.oddWord !== undefined)
				return raise(tx, answered, {
					named: { class: "status", subject: `${missing.subject} ${answered.oddWord}` },
					at,
				});
			const applied = await applyStatedDispute(tx, { stated: answered, ...about });
			if (applied === "not_counted") await raise(tx, answered, { named: missing, at });
			if (applied === "other_currency")
				await raise(tx, answered, { named: { ...missing, class: "currency" }, at });
		}),
	);
}

type Raised = { named: { class: "missing_here" | "currency" | "status"; subject: string }; at: Date };

const raise = (
	tx: Database,
	{ dispute, currency, reference, transactionId, oddWord }: AnsweredDispute,
	{ named, at }: Raised,
): Promise<void> =>
	raiseException(tx, {
		...{ ...named, amountMinor: dispute.amountMinor, currency, now: at, ours: {} },
		theirs: {
			...{ dispute: dispute.gatewayId, transaction: transactionId, reference, currency },
			...{ status: oddWord ?? dispute.status, amount_minor: toMinor(dispute.amountMinor) },
		},
	});
