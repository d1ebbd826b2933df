import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What happens when a call chain with an open transaction does something that may wait for a connection of the same pool:
 * `throw` refuses it (tests), `report` lets it happen and tells the pool (programs).
 */
export type TransactionGuard = "throw" | "report";

/** The pool that lent the connection of a transaction. Pools are compared by identity: each service has its own. */
export type LendingPool = {
	/** Names the pool in errors. */
	name: string;
	/** Receives violations in the mode `report`, at most one per minute. */
	onViolation: (error: Error) => void;
};

/** A call chain would wait, with a connection in its hands, for something that may need a connection or take long. */
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

/** Sets the mode for the whole process. It is `report` until somebody sets it; the tests of this repository set `throw`. */
export function setTransactionGuard(mode: TransactionGuard): void {
	guard = mode;
}

/** Runs `work` and marks its call chain, until `work` has settled, as one that holds a connection of the pool. */
export async function withOpenTransaction<T>(pool: LendingPool, work: () => Promise<T>): Promise<T> {
	const transaction = { pool, isOpen: true, outer: innermost() };
	try {
		return await transactions.run(transaction, work);
	} finally {
		// Work that the chain left behind (a timer, a queue) is free from here on.
		transaction.isOpen = false;
	}
}

/**
 * Runs `work` as a call chain of its own, outside the transactions of its caller. Only for what another process would do in
 * production: an incoming request, delivery by a bus, a second party in a test.
 */
export const outsideTransactions = <T>(work: () => T): T =>
	transactions.getStore() === undefined ? work() : transactions.run(undefined, work);

/**
 * Refuses an action while the call chain has an open transaction: of one pool when that is named, else of any. Caches call it
 * before they wait for a load that callers share, `tracedFetch` before it sends a request. Throws TransactionOpen in the mode `throw`.
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
