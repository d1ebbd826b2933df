import type { Database } from "@lango/postgres";
import { isTillOf } from "../../gateways/shortcodes/tenant-gateway.store.ts";
import type { Attempt } from "../../payments/attempt.ts";
import type { StoredIntent } from "../../payments/intent.store.ts";
import { lockSuspended, lockUnboundReceipts } from "../../receipts/fitting-receipt.store.ts";
import { after, before, fitsPrompt, type Receipt } from "../../receipts/receipt.ts";

type Fitting = { attempt: Attempt; intent: StoredIntent; amountMinor: bigint; now: Date };

/**
 * Lists the receipts that no attempt has and that may be of a prompt, locked: with the code of its
 * intent, of a till without an account, or counted by an answer that names neither account nor payer.
 * Call it inside the tenant.
 */
export async function listFitting(
	tx: Database,
	{ attempt, intent, amountMinor, now }: Fitting,
): Promise<Receipt[]> {
	const { shortcode } = attempt;
	const from = before(attempt.submittedAt ?? attempt.createdAt);
	const suspended =
		shortcode === null
			? []
			: await lockSuspended(tx, {
					...{ shortcode, amountMinor, isTill: await isTillOf(tx, shortcode) },
					...{ from, until: after(now) },
				});
	const named = await lockUnboundReceipts(tx, {
		accountRef: intent.accountCode,
		amountMinor,
		shortcode,
		from,
	});
	return [...named, ...suspended].filter((one) => fitsPrompt(one, attempt));
}
