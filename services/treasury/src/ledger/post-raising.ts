import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";
import { smaller } from "../money/amount.ts";
import { balanceOf, lockAvailable } from "./available.store.ts";
import { type PostedJournal, postJournals } from "./ledger.store.ts";
import { accounts } from "./postings/account.ts";
import type { Journal } from "./postings/posting.ts";
import { recoverDebt } from "./postings/refunding.ts";

/**
 * Posts journals of a tenant that may credit `tenant.available`, and pays the tenant's debt from what is
 * available then: debt and available money are never both there (design 7.2, `debt_recovery`). Every journal
 * that credits `tenant.available` is posted by this function, those of settlements and payouts too; what
 * debits it calls `lockAvailable` before it reads the balance. A repetition changes nothing, as with
 * `postJournals`. Call it inside the tenant, or without one for journals of the platform alone.
 */
export async function postRaising(
	tx: Database,
	tenantId: string | undefined,
	journals: readonly Journal[],
): Promise<readonly PostedJournal[]> {
	if (tenantId === undefined || !journals.some(isOfAvailable)) return postJournals(tx, tenantId, journals);
	await lockAvailable(tx, tenantId);
	const posted = await postJournals(tx, tenantId, journals);
	const raising = journals.filter((one, index) => posted[index]?.isNew === true && creditsAvailable(one));
	const last = new Map(raising.map((one) => [one.lines[0]?.currency ?? "", one]));
	for (const [currency, journal] of last) await recover(tx, { tenantId, currency, journal });
	return posted;
}

type Recovering = { tenantId: string; currency: string; journal: Journal };

/** Money of one object may be released more than once: each recovery is a source of its own. */
async function recover(tx: Database, { tenantId, currency, journal }: Recovering): Promise<void> {
	const debtMinor = await balanceOf(tx, accounts.debt.code, currency);
	if (debtMinor === 0n) return;
	const amountMinor = smaller(debtMinor, await balanceOf(tx, accounts.available.code, currency));
	if (amountMinor === 0n) return;
	const source = { type: "debt_recovery", id: randomUUID() };
	await postJournals(tx, tenantId, [{ ...journal, ...recoverDebt({ currency, amountMinor }), source }]);
}

const isOfAvailable = ({ lines }: Journal): boolean =>
	lines.some(({ account }) => account.code === accounts.available.code);

const creditsAvailable = ({ lines }: Journal): boolean =>
	lines.some(({ account, side }) => account.code === accounts.available.code && side === "credit");
