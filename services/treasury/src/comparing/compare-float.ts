import { inTenant } from "@lango/postgres";
import { hasOpenException } from "../exceptions/exception.store.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { floatOf } from "../ledger/postings/account.ts";
import { mobileMoneyCurrency as currency, toMinor } from "../money/amount.ts";
import { findQuery } from "../queries/query.store.ts";
import { sumOf } from "../queries/query.ts";
import type { Treasury } from "../treasury.ts";
import { isFloatMoving, platformBalanceOf } from "./balance.store.ts";

/**
 * Compares the answer about the balances of the platform's shortcode with the ledger. Of a tenant's own
 * shortcode the mirror follows; what the platform's holds more or less has to be explained. While money of it
 * is moving, or if some was counted since the question, the difference may be that: the next answer decides.
 * One exception at a time is open.
 */
export async function compareFloat(
	{ db, now }: Treasury,
	{ tenantId, queryId }: { tenantId: string; queryId: string },
): Promise<void> {
	const query = await inTenant(db, tenantId, (tx) => findQuery(tx, queryId));
	if (query?.result === undefined || !("accounts" in query.result)) return;
	const { shortcode, createdAt: since } = query;
	const theirsMinor = sumOf(query.result.accounts, currency);
	if (await isFloatMoving(db, { shortcode, since })) return;
	const { code } = floatOf({ shortcode, owner: "platform" });
	const at = now();
	await db.transaction(async (tx) => {
		const oursMinor = await platformBalanceOf(tx, { code, currency });
		const amountMinor = theirsMinor - oursMinor;
		if (amountMinor === 0n || (await hasOpenException(tx, { class: "balance", subject: code }))) return;
		await raiseException(tx, {
			...{ class: "balance", subject: `${code} ${at.toISOString()}`, amountMinor, currency, now: at },
			ours: { account: code, amount_minor: toMinor(oursMinor) },
			theirs: { query_id: queryId, amount_minor: toMinor(theirsMinor) },
		});
	});
}
