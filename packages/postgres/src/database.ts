import { type LendingPool, requireNoOpenTransaction, withOpenTransaction } from "@lango/tracing";
import pg from "pg";
import { isUnavailable } from "./driver-error.ts";
import { type Lane, openLanes, type Reserve } from "./lanes.ts";
import { type Database, enter, run, type Scope, type Scoped, transact } from "./transaction.ts";

/** A database handle that owns its connections. */
export type Pool = Database & {
	/**
	 * The same database through another lane: work there goes first where the pool has a reserve for it. A transaction of one lane
	 * holds a connection of the pool, whatever the lane.
	 */
	lane(lane: Exclude<Lane, "ordinary">): Database;
	/** How its connections are used now, and how much waits for one. */
	connections(): { used: number; idle: number; max: number; pending: number };
	/** Waits for statements under way, then closes every connection. */
	close(): Promise<void>;
};

export type PoolOptions = {
	url: string;
	/** Shown in pg_stat_activity. */
	name: string;
	/** All connections of all lanes together. */
	sizeMax?: number;
	/** What is kept of them for work that goes first; nothing unless said. */
	reserve?: Reserve;
	statementTimeoutMs?: number;
	/** How long making one connection may take. */
	connectTimeoutMs?: number;
	/** Called when an idle connection is lost; the pool replaces it by itself. */
	onIdleError?: (error: Error) => void;
	/** Called when a call chain with an open transaction asks for a second connection or sends an HTTP request (not in tests: there it throws). */
	onViolation?: (error: Error) => void;
};

/** int8 is exact: a BigInt, never a rounded number. A date has no time and no zone: it stays `YYYY-MM-DD`. */
const parsers: Readonly<Record<number, (value: string) => unknown>> = {
	[pg.types.builtins.INT8]: BigInt,
	[pg.types.builtins.DATE]: String,
};
const types: pg.CustomTypesConfig = {
	getTypeParser: ((oid: number, format?: "text" | "binary") =>
		(format !== "binary" && parsers[oid]) ||
		pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/** How much longer than the server's own time limit an answer is waited for, before the connection is given up. */
const graceMs = 2_000;
const closeMs = 2_000;

/** Opens a bounded pool. Connections are made on demand, so an unreachable server shows at the first query. */
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
	const handleOf = (lane: Lane): Scoped => {
		const lend = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
			requireNoOpenTransaction("take a second connection of it", lending);
			const leave = await lanes.enter(lane);
			return borrow(pool, work).finally(leave);
		};
		const begin = <T>(scope: Scope | undefined, work: (db: Database) => Promise<T>): Promise<T> =>
			lend((client) => withOpenTransaction(lending, () => transact(client, { scope, work })));
		return {
			query: (text, values = []) => lend((client) => run(client, text, values)),
			queryBeforeCommit: async (text, values = []) => {
				await lend((client) => run(client, text, values));
			},
			transaction: (work) => begin(undefined, work),
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

/** The driver says it has ended before its sockets have; whoever stops the server next should not cut them off. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ms);
	});
	await Promise.race([work, late]);
	clearTimeout(timer);
}

/** Lends a connection. It goes back to the pool even when a statement was refused, but not when it may be broken. */
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

/** Anything the driver throws but a plain refusal by the server. */
function mayBeBroken(error: unknown): error is Error {
	if (error instanceof pg.DatabaseError) return error.severity !== "ERROR";
	return isUnavailable(error);
}
