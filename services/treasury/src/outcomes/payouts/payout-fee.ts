import type { Database } from "@lango/postgres";
import { postRaising } from "../../ledger/post-raising.ts";
import type { Journal } from "../../ledger/postings/posting.ts";
import { recordFee } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import type { EvidenceSource } from "../evidence/evidence.ts";
import type { PayoutSaid } from "../evidence/payout-evidence.ts";
import { isNewCharge, journalsOfCharge } from "../mirror/shortcode-charge.ts";
import { postingsOfFee } from "./payout-postings.ts";

/** A statement about a payout, which is as it was before. */
type Said = { payout: Payout; said: PayoutSaid; source: EvidenceSource; evidenceId: string; at: Date };

const feeIn = (said: PayoutSaid): bigint | undefined => (said.kind === "paid" ? said.feeMinor : undefined);

/** The journals of what the gateway says that it charged the tenant's own shortcode for a payout. Pure. */
export function chargesOf({ payout, said, evidenceId, at }: Said): readonly Journal[] {
	const [{ id, shortcode, currency, feeMinor: knownMinor }, saidMinor] = [payout, feeIn(said)];
	if (shortcode === null || saidMinor === undefined) return [];
	const of = { kind: "payout" as const, id };
	const paidAt = said.kind === "paid" ? said.paidAt : undefined;
	return journalsOfCharge({
		...{ of, shortcode, currency, knownMinor, saidMinor, evidenceId, at: paidAt ?? at },
	});
}

/**
 * The gateway says what it charged after the payout was booked as paid, without it or with another charge. A
 * payout that came back keeps it. Call it inside the tenant.
 */
export async function learnFee(tx: Database, learning: Said): Promise<void> {
	const { payout, said } = learning;
	const feeMinor = feeIn(said);
	if (feeMinor === undefined || payout.paidAt === null || !isNews(learning, feeMinor)) return;
	await recordFee(tx, { id: payout.id, feeMinor });
	const journals = payout.rail === "mobile_money" ? chargesOf(learning) : correctionsOf(learning, feeMinor);
	if (journals.length > 0) await postRaising(tx, payout.tenantId, journals);
}

/** What is said about a transfer carries no time: a lower fee may be an older statement. */
function isNews({ payout: { rail, feeMinor: knownMinor }, source }: Said, saidMinor: bigint): boolean {
	if (rail === "mobile_money") return isNewCharge({ knownMinor, saidMinor }, source);
	return knownMinor === null || saidMinor > knownMinor;
}

/** A fee may be corrected more than once. */
const correctionsOf = ({ payout, evidenceId, at }: Said, feeMinor: bigint): readonly Journal[] =>
	postingsOfFee(payout, feeMinor).map((posting) => ({
		...{ ...posting, source: { type: "payout_fee", id: evidenceId }, evidenceId, at },
	}));
