import { inTenant } from "@lango/postgres";
import { floatOf } from "../ledger/postings/account.ts";
import { mobileMoneyCurrency as currency } from "../money/amount.ts";
import { findQuery } from "../queries/query.store.ts";
import { sumOf } from "../queries/query.ts";
import type { Treasury } from "../treasury.ts";
import { isFloatMoving, platformBalanceOf } from "./balance.store.ts";
import { noteBalance } from "./note-balance.ts";

/**
 * Compares the answer about the balances of the platform's shortcode with the ledger. Of a tenant's own
 * shortcode the mirror follows; what the platform's holds more or less has to be explained. While money of it
 * is moving, or if some was counted since the question, the difference may be that: the next answer decides.
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
	await db.transaction(async (tx) => {
		const oursMinor = await platformBalanceOf(tx, { code, currency });
		const both = { oursMinor, theirsMinor, queryId, mayBeFlight: false, proposed: undefined };
		await noteBalance(tx, { subject: code, code, currency, ...both, now: now() });
	});
}
