import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What happens if a call chain with an open transaction starts an action that may wait for a connection of
 * the same pool: `throw` refuses the action (tests), `report` allows it and calls `onViolation` (production).
 */
export type TransactionGuard = "throw" | "report";

/** The connection pool of a transaction. Pools are compared by identity: each service has its own. */
export type LendingPool = {
	/** Names the pool in errors. */
	name: string;
	/** Called with violations in the mode `report`, at most once per minute. */
	onViolation: (error: Error) => void;
};

/** An action that may wait, or may need a second connection, was started inside an open transaction. */
export class TransactionOpen extends Error {
	constructor(pool: string, action: string) {
		super(`a transaction of the pool "${pool}" is open in this call chain: end it before you ${action}`);
		this.name = "TransactionOpen";
	}
}

type OpenTransaction = { pool: LendingPool; isOpen: boolean; outer: OpenTransaction | undefined };

const transactions = new AsyncLocalStorage<OpenTransaction | undefined>();
const reportedAt = new WeakMap<LendingPool, number>();
const reportEveryMs = 60_000;
let guard: TransactionGuard = "report";

/** Sets the mode for the process. Default: `report`. The tests of this repository set `throw`. */
export function setTransactionGuard(mode: TransactionGuard): void {
	guard = mode;
}

/** Runs `work` and marks its call chain as inside a transaction of the pool until `work` settles. */
export async function withOpenTransaction<T>(pool: LendingPool, work: () => Promise<T>): Promise<T> {
	const transaction = { pool, isOpen: true, outer: innermost() };
	try {
		return await transactions.run(transaction, work);
	} finally {
		// Work that outlives the transaction (a timer, a queue) is no longer inside it.
		transaction.isOpen = false;
	}
}

/**
 * Runs `work` outside the transactions of its caller. Only for work that another process would do in
 * production: an incoming request, delivery by a bus, a second client in a test.
 */
export const outsideTransactions = <T>(work: () => T): T =>
	transactions.getStore() === undefined ? work() : transactions.run(undefined, work);

/**
 * Refuses an action inside an open transaction of `pool`, or of any pool if none is given. Caches call it
 * before they wait for a shared load, `tracedFetch` before it sends a request. Throws TransactionOpen in the
 * mode `throw`.
 */
export function requireNoOpenTransaction(action: string, pool?: LendingPool): void {
	let one = innermost();
	while (one !== undefined && !(one.isOpen && (pool === undefined || one.pool === pool))) one = one.outer;
	if (one !== undefined) violated(one.pool, action);
}

function innermost(): OpenTransaction | undefined {
	let one = transactions.getStore();
	while (one?.isOpen === false) one = one.outer;
	return one;
}

function violated(pool: LendingPool, action: string): void {
	const error = new TransactionOpen(pool.name, action);
	if (guard === "throw") throw error;
	const at = performance.now();
	if (at - (reportedAt.get(pool) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return;
	reportedAt.set(pool, at);
	pool.onViolation(error);
}
