import { chargeShortcode } from "../../ledger/postings/paying-out.ts";
import type { Journal } from "../../ledger/postings/posting.ts";
import type { EvidenceSource } from "../evidence/evidence.ts";

type Charged = {
	of: { kind: "payout" | "refund"; id: string };
	shortcode: string;
	currency: string;
	/** What is in the books; null: the gateway has not said it. */
	knownMinor: bigint | null;
	saidMinor: bigint;
	evidenceId: string;
	at: Date;
};

/**
 * Whether the gateway says another charge than what is known. The answer to a question is newer than the
 * result, whichever arrives first: a result says it only where nothing is known. Pure.
 */
export const isNewCharge = (
	{ knownMinor, saidMinor }: Pick<Charged, "knownMinor" | "saidMinor">,
	source: EvidenceSource,
): boolean => knownMinor === null || (source === "query" && saidMinor !== knownMinor);

/**
 * The journal of a charge: its source is the payout or refund itself, or the statement if it corrects one
 * that is known. None if it changes nothing. Pure.
 */
export function journalsOfCharge(charged: Charged): readonly Journal[] {
	const { of, shortcode, currency, knownMinor, saidMinor, evidenceId, at } = charged;
	const amountMinor = saidMinor - (knownMinor ?? 0n);
	if (amountMinor === 0n) return [];
	const source =
		knownMinor === null ? { type: of.kind, id: of.id } : { type: `${of.kind}_fee`, id: evidenceId };
	return [{ ...chargeShortcode(of.kind, { shortcode, amountMinor, currency }), source, evidenceId, at }];
}
