import pg from "pg";
import { isUnavailable } from "./driver-error.ts";
import { type Database, enter, run, type Scope, type Scoped, transact } from "./transaction.ts";

/** A database handle that owns its connections. */
export type Pool = Database & {
	/** How its connections are used now, and how much waits for one. */
	connections(): { used: number; idle: number; max: number; pending: number };
	/** Waits for statements under way, then closes every connection. */
	close(): Promise<void>;
};

export type PoolOptions = {
	url: string;
	/** Shown in pg_stat_activity. */
	name: string;
	sizeMax?: number;
	statementTimeoutMs?: number;
	/** Called when an idle connection is lost; the pool replaces it by itself. */
	onIdleError?: (error: Error) => void;
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
	statementTimeoutMs = 15_000,
	onIdleError,
}: PoolOptions): Pool {
	const pool = new pg.Pool({
		connectionString: url,
		application_name: `lango-${name}`,
		max: sizeMax,
		connectionTimeoutMillis: 5_000,
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
	const begin = <T>(scope: Scope | undefined, work: (db: Database) => Promise<T>): Promise<T> =>
		borrow(pool, (client) => transact(client, { scope, work }));
	let closed: Promise<void> | undefined;
	pool.on("error", (error) => closed ?? onIdleError?.(error));
	const db: Scoped & Pool = {
		query: (text, values = []) => borrow(pool, (client) => run(client, text, values)),
		queryBeforeCommit: async (text, values = []) => {
			await borrow(pool, (client) => run(client, text, values));
		},
		transaction: (work) => begin(undefined, work),
		connections: () => ({
			used: pool.totalCount - pool.idleCount,
			idle: pool.idleCount,
			max: sizeMax,
			pending: pool.waitingCount,
		}),
		close: () => {
			closed ??= pool.end().then(() => withinTime(Promise.all(sockets), closeMs));
			return closed;
		},
		[enter]: begin,
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
