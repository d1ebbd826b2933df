import type { Database } from "@lango/postgres";
import {
	checkAccounts,
	firstId,
	type LedgerProblem,
	lastSeal,
	listBrokenSeals,
	listUnequalTotals,
} from "./seal.store.ts";

const sealsAtOnce = 100;
const accountsAtOnce = 200;
const shownMax = 5;

/**
 * Checks the ledger as `findLedgerProblems` does. Throws an Error that names the first problems; its job
 * then becomes a dead letter.
 */
export async function verifyLedger(db: Database, signal?: AbortSignal): Promise<void> {
	const problems = await findLedgerProblems(db, signal);
	if (problems.length === 0) return;
	const shown = problems.slice(0, shownMax).map(({ about, problem }) => `${about}: ${problem}`);
	throw new Error(`the ledger has ${problems.length} problems: ${shown.join("; ")}`);
}

/**
 * Computes the hash chain, the balances, the days closed last, and the sum of all accounts again. Returns
 * what differs. Throws if it is aborted.
 */
export async function findLedgerProblems(
	db: Database,
	signal?: AbortSignal,
): Promise<readonly LedgerProblem[]> {
	const problems = [...(await listUnequalTotals(db))];
	const last = await lastSeal(db);
	for (let after = 0n; after < last; after += BigInt(sealsAtOnce)) {
		signal?.throwIfAborted();
		problems.push(...(await listBrokenSeals(db, { after, limit: sealsAtOnce })));
	}
	for (let after: string | undefined = firstId; after !== undefined; ) {
		signal?.throwIfAborted();
		const page: Awaited<ReturnType<typeof checkAccounts>> = await checkAccounts(db, {
			after,
			limit: accountsAtOnce,
		});
		problems.push(...page.problems);
		after = page.last;
	}
	return problems;
}
