import { type LendingPool, requireNoOpenTransaction, withOpenTransaction } from "@lango/tracing";
import pg from "pg";
import { createSignals } from "./background/signals.ts";
import { isUnavailable } from "./driver-error.ts";
import { type Lane, openLanes, type Reserve } from "./lanes.ts";
import { type Database, enter, run, type Scope, type Scoped, transact } from "./transaction.ts";

/** A connection pool. */
export type Pool = Database & {
	/**
	 * The same pool through another lane, whose work may use reserved connections. All lanes share the pool's
	 * connections.
	 */
	lane(lane: Exclude<Lane, "ordinary">): Database;
	/** The connections in use and idle, the maximum, and the number of callers that wait for one. */
	connections(): { used: number; idle: number; max: number; pending: number };
	/** Waits for running statements, then closes every connection. */
	close(): Promise<void>;
};

export type PoolOptions = {
	url: string;
	/** The application name in pg_stat_activity. */
	name: string;
	/** The maximum number of connections, for all lanes together. Default: 5. */
	sizeMax?: number;
	/** Connections reserved for other lanes. Default: none. */
	reserve?: Reserve;
	statementTimeoutMs?: number;
	/** The time limit for opening a connection. */
	connectTimeoutMs?: number;
	/** Called when an idle connection is lost. The pool replaces it. */
	onIdleError?: (error: Error) => void;
	/**
	 * Called when a call chain with an open transaction requests a second connection or sends an HTTP request.
	 * In tests this throws instead.
	 */
	onViolation?: (error: Error) => void;
};

/** int8 is returned as BigInt, so it is exact. A date has no time and no zone: it stays `YYYY-MM-DD`. */
const parsers: Readonly<Record<number, (value: string) => unknown>> = {
	[pg.types.builtins.INT8]: BigInt,
	[pg.types.builtins.DATE]: String,
};
const types: pg.CustomTypesConfig = {
	getTypeParser: ((oid: number, format?: "text" | "binary") =>
		(format !== "binary" && parsers[oid]) ||
		pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/** How long to wait for a response beyond the server's own time limit before the connection is closed. */
const graceMs = 2_000;
const closeMs = 2_000;

/**
 * Opens a bounded pool. Connections are opened on demand, so an unreachable server is noticed by the first
 * query.
 */
export function openPool({
	url,
	name,
	sizeMax = 10,
	reserve,
	statementTimeoutMs = 15_000,
	connectTimeoutMs = 5_000,
	onIdleError,
	onViolation = () => undefined,
}: PoolOptions): Pool {
	const lending: LendingPool = { name, onViolation };
	const pool = new pg.Pool({
		connectionString: url,
		application_name: `lango-${name}`,
		max: sizeMax,
		connectionTimeoutMillis: connectTimeoutMs,
		idleTimeoutMillis: 60_000,
		statement_timeout: statementTimeoutMs,
		query_timeout: statementTimeoutMs + graceMs,
		idle_in_transaction_session_timeout: 30_000,
		keepAlive: true,
		pipeline: true,
		types,
	});
	const sockets = new Set<Promise<void>>();
	pool.on("connect", (client) => {
		const ended = new Promise<void>((resolve) => client.once("end", resolve)).then(
			() => void sockets.delete(ended),
		);
		sockets.add(ended);
	});
	const lanes = openLanes({ sizeMax, reserve });
	const signals = createSignals();
	const handleOf = (lane: Lane): Scoped => {
		const lend = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
			requireNoOpenTransaction("take a second connection of it", lending);
			const leave = await lanes.enter(lane);
			return borrow(pool, work).finally(leave);
		};
		const begin = <T>(scope: Scope | undefined, work: (db: Database) => Promise<T>): Promise<T> =>
			lend((client) => withOpenTransaction(lending, () => transact(client, { scope, signals, work })));
		return {
			query: (text, values = []) => lend((client) => run(client, text, values)),
			queryBeforeCommit: async (text, values = []) => {
				await lend((client) => run(client, text, values));
			},
			transaction: (work) => begin(undefined, work),
			...signals,
			[enter]: begin,
		};
	};
	let closed: Promise<void> | undefined;
	pool.on("error", (error) => closed ?? onIdleError?.(error));
	const db: Scoped & Pool = {
		...handleOf("ordinary"),
		lane: handleOf,
		connections: () => ({
			used: pool.totalCount - pool.idleCount,
			idle: pool.idleCount,
			max: sizeMax,
			pending: lanes.waiting(),
		}),
		close: () => {
			closed ??= pool.end().then(() => withinTime(Promise.all(sockets), closeMs));
			return closed;
		},
	};
	return db;
}

/**
 * The driver resolves before its sockets are closed. Waiting for them keeps a later server shutdown from
 * interrupting them.
 */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ms);
	});
	await Promise.race([work, late]);
	clearTimeout(timer);
}

/** `feature_not_supported` of PostgreSQL. */
const notSupported = "0A000";

/**
 * Borrows a connection. It returns to the pool after a refused statement, but is closed if it may be broken.
 */
async function borrow<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
	const client = await pool.connect();
	let broken: Error | undefined;
	const lost = (error: Error) => {
		broken ??= error;
	};
	client.on("error", lost);
	try {
		return await work(client);
	} catch (error) {
		if (mayBeBroken(error)) lost(error);
		throw error;
	} finally {
		client.off("error", lost);
		client.release(broken);
	}
}

/**
 * Whether an error of the driver is anything but a refused statement, or is of one that is not supported: a
 * connection of Citus 14.0.1 that could not plan a statement may run no function on its tenant's node later.
 */
function mayBeBroken(error: unknown): error is Error {
	if (error instanceof pg.DatabaseError) return error.severity !== "ERROR" || error.code === notSupported;
	return isUnavailable(error);
}
