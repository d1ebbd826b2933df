import type { Database } from "@lango/postgres";
import { outsideTransactions } from "@lango/tracing";

/**
 * Wraps the work of a transaction in which a test also plays other parties: statements outside of the
 * transaction's handle count as work of another process and may use the same pool.
 */
export const besideOthers =
	<T>(work: (tx: Database) => Promise<T>) =>
	(tx: Database): Promise<T> =>
		outsideTransactions(() => work(tx));
