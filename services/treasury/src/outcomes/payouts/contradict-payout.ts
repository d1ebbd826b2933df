import type { Database } from "@lango/postgres";
import { findState } from "../../exceptions/exception.store.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { toMinor } from "../../money/amount.ts";
import { failedTransfer, type Payout, transferFeeOf } from "../../payouts/payout.ts";
import type { EvidenceSource } from "../evidence/evidence.ts";
import type { PayoutSaid } from "../evidence/payout-evidence.ts";

type Contradicting = { payout: Payout; said: PayoutSaid; source: EvidenceSource; at: Date };

/** What names the exception of a payout that was booked as paid and has failed. Pure. */
export const failedException = ({ rail, reference }: Pick<Payout, "rail" | "reference">) => {
	const begin = rail === "card_gateway" ? failedTransfer : "failed payout ";
	return { class: "status", subject: `${begin}${reference}` } as const;
};

/**
 * Whether somebody has decided about a payout that was booked as paid and has failed: its money may be the
 * tenant's again. That it came back is not booked then.
 */
export const isCorrected = async (tx: Database, { payout, said }: Contradicting): Promise<boolean> =>
	said.kind === "reversed" &&
	payout.status === "paid" &&
	(await findState(tx, failedException(payout))) === "closed";

/**
 * The gateway says that a payout has failed which was booked as paid, for example by the word of operators,
 * or that it came back after somebody has decided about that: it stays as it is, and a person has to look.
 * The amount is what left by the books, with the fee.
 */
export async function contradictPayout(
	tx: Database,
	{ payout, said, source, at: now }: Contradicting,
): Promise<void> {
	if ((said.kind !== "failed" && said.kind !== "reversed") || source === "operator") return;
	if (payout.status !== "paid") return;
	const { tenantId, id, netMinor, currency, status, feeMinor, reference } = payout;
	const { subject, ...about } = failedException(payout);
	await raiseException(tx, {
		...{ ...about, subject: said.kind === "failed" ? subject : `${subject} reversed`, currency, now },
		amountMinor: netMinor + (feeMinor ?? transferFeeOf(payout)),
		ours: { tenant_id: tenantId, payout_id: id, status, amount_minor: toMinor(netMinor), currency },
		theirs: { reference, status: said.kind },
	});
}
