import { raiseException } from "../exceptions/raise-exception.ts";
import { isOddWord, saidByTransaction } from "../gateways/card-gateway/said-by-charge.ts";
import { type Transaction, verifyTransaction } from "../gateways/card-gateway/transactions.ts";
import type { Gateways } from "../gateways/open-gateways.ts";
import { toMinor } from "../money/amount.ts";
import type { Said } from "../outcomes/evidence/evidence.ts";
import type { Attempt } from "../payments/attempt.ts";
import type { Treasury } from "../treasury.ts";

/** What the card gateway says about a reference; `said` is undefined while the payment has no end. */
export type Verified = { said: Said | undefined; transaction?: Transaction };

type Verifying = Pick<Treasury, "db" | "now"> & { gateways: Pick<Gateways, "findCardGateway"> };

/**
 * Asks the card gateway about a reference of ours. Returns undefined if it is not configured or did not
 * answer. A state that a person has to look at raises an exception, once. Call it outside of a transaction.
 */
export async function verifyReference(parts: Verifying, reference: string): Promise<Verified | undefined> {
	const gateway = await parts.gateways.findCardGateway();
	if (gateway === undefined) return undefined;
	const answer = await verifyTransaction(gateway, reference);
	if (answer.is === "refused" && answer.code === "not_found") return { said: undefined };
	if (answer.is !== "accepted") return undefined;
	if (answer.ids.reference !== reference) return { said: undefined };
	if (isOddWord(answer.ids.status)) await raiseOddWord(parts, answer.ids);
	return { said: saidByTransaction(answer.ids), transaction: answer.ids };
}

const raiseOddWord = (
	{ db, now }: Pick<Treasury, "db" | "now">,
	{ id, reference: subject, status, amountMinor, currency }: Transaction,
): Promise<void> =>
	db.transaction((tx) =>
		raiseException(tx, {
			...{ class: "status", subject, amountMinor, currency, now: now(), ours: { reference: subject } },
			theirs: { receipt: id, status, amount_minor: toMinor(amountMinor), currency },
		}),
	);

/**
 * Asks the card gateway what became of a checkout. Returns undefined while it is not known, or the gateway
 * did not answer. One that was not paid in its time has expired.
 */
export async function askCheckout(
	domain: Verifying,
	{ reference, expiresAt }: Pick<Attempt, "reference" | "expiresAt">,
): Promise<Said | undefined> {
	const verified = await verifyReference(domain, reference);
	if (verified === undefined) return undefined;
	return verified.said ?? (expiresAt <= domain.now() ? { kind: "expired" } : undefined);
}
