import type { Database } from "@lango/postgres";
import { closeAllExplained } from "../../exceptions/exception.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import type { EvidenceSource } from "../evidence/evidence.ts";
import { failedException } from "./contradict-payout.ts";

/** What a person had to look at until a payout ended. */
const untilEnd = ["balance", "missing_there", "status"] as const;
/** What the gateway said otherwise: its own word about the end explains that, no decision of operators. */
const differences = ["amount", "currency"] as const;

/** Closes what the end of a payout explains. Call it after each change of one that has ended. */
export async function closeEnded(
	tx: Database,
	{ payout, source, at }: { payout: Payout; source: EvidenceSource; at: Date },
): Promise<void> {
	const classes = source === "operator" ? untilEnd : [...untilEnd, ...differences];
	const closed = [
		...classes.map((one) => ({ class: one, subject: payout.reference })),
		...(payout.status === "reversed" ? [failedException(payout)] : []),
	];
	await closeAllExplained(
		tx,
		closed.map((one) => ({ ...one, receiptId: undefined })),
		at,
	);
}
