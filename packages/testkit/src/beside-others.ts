import type { Database } from "@lango/postgres";
import { outsideTransactions } from "@lango/tracing";

/**
 * The work of a transaction in which a test also plays the other parties: what it does besides the transaction's own statements
 * counts as done by somebody else, and may use the same pool.
 */
export const besideOthers =
	<T>(work: (tx: Database) => Promise<T>) =>
	(tx: Database): Promise<T> =>
		outsideTransactions(() => work(tx));
