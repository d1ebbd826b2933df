import pg from "pg";

export type Row = Record<string, unknown>;

/** The one handle a store function needs: a pool, or a transaction of it. */
export type Database = {
	/** Runs one whole statement, prepared once per connection. Throws the driver's error. */
	query<R extends Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
	/** Runs `work` in one transaction; inside a transaction it joins the one under way. */
	transaction<T>(work: (db: Database) => Promise<T>): Promise<T>;
};

/** A database handle that owns its connections. */
export type Pool = Database & {
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

/** Whose rows a transaction sees. A transaction has one scope from the moment it is said until its end. */
export type Scope = {
	/** Says which, in errors. */
	name: string;
	/** The statement that takes it, local to the transaction. */
	sql: string;
	/** Whether it may be taken in a transaction already under way, or only by one that begins with it. */
	joins: boolean;
};

const enter = Symbol("enter");
type Scoped = Database & { [enter]: <T>(scope: Scope, work: (db: Database) => Promise<T>) => Promise<T> };

const namesMax = 2_000;
const names = new Map<string, string>();

/** Statements are constants of the code, so each gets one name and is planned once per connection. */
function statementName(text: string): string | undefined {
	const known = names.get(text);
	if (known !== undefined || names.size >= namesMax) return known;
	const name = `s${names.size}`;
	names.set(text, name);
	return name;
}

/** int8 is exact: a BigInt, never a rounded number. A date has no time and no zone: it stays `YYYY-MM-DD`. */
const parsers: Readonly<Record<number, (value: string) => unknown>> = {
	[pg.types.builtins.INT8]: BigInt,
	[pg.types.builtins.DATE]: String,
};
const types: pg.CustomTypesConfig = {
	getTypeParser: ((oid: number, format?: "text" | "binary") =>
		(format !== "binary" && parsers[oid]) || pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/** Opens a bounded pool. Connections are made on demand, so an unreachable server shows at the first query. */
export function openPool({ url, name, sizeMax = 10, statementTimeoutMs = 15_000, onIdleError }: PoolOptions): Pool {
	const pool = new pg.Pool({
		connectionString: url,
		application_name: `lango-${name}`,
		max: sizeMax,
		connectionTimeoutMillis: 5_000,
		idleTimeoutMillis: 60_000,
		statement_timeout: statementTimeoutMs,
		idle_in_transaction_session_timeout: 30_000,
		keepAlive: true,
		types,
	});
	pool.on("error", (error) => onIdleError?.(error));

	const begin = async <T>(scope: Scope | undefined, work: (db: Database) => Promise<T>): Promise<T> => {
		const client = await pool.connect();
		let broken: Error | undefined;
		const lost = (error: Error) => {
			broken = error;
		};
		client.on("error", lost);
		const { db: tx, end } = within(client, scope);
		try {
			await client.query(scope === undefined ? "begin" : `begin; ${scope.sql}`);
			const result = await work(tx);
			end();
			// On a transaction that already failed, COMMIT is a rollback that reports success.
			const { command } = await client.query("commit");
			if (command !== "COMMIT") throw new Error("nothing was committed: a statement failed and its error was passed over");
			return result;
		} catch (error) {
			end();
			await client.query("rollback").catch(lost);
			throw error;
		} finally {
			client.off("error", lost);
			client.release(broken);
		}
	};
	let closed: Promise<void> | undefined;
	const db: Scoped & Pool = {
		query: (text, values = []) => run(pool, text, values),
		transaction: (work) => begin(undefined, work),
		close: () => {
			closed ??= pool.end();
			return closed;
		},
		[enter]: begin,
	};
	return db;
}

/** The handle of one open transaction; once it ended, a statement that comes late is refused, not run outside it. */
function within(client: pg.PoolClient, begunAs: Scope | undefined): { db: Database; end: () => void } {
	let current = begunAs;
	let isOver = false;
	const assertOpen = () => {
		if (isOver) throw new Error("this transaction is over: a statement was not awaited inside it");
	};
	const db: Scoped = {
		query: async (text, values = []) => {
			assertOpen();
			return run(client, text, values);
		},
		transaction: (work) => work(db),
		[enter]: async (scope, work) => {
			assertOpen();
			if (current?.name === scope.name) return work(db);
			if (current !== undefined) throw new Error(`a transaction that sees ${current.name} cannot turn to ${scope.name}`);
			if (!scope.joins) throw new Error(`${scope.name} is seen by a transaction of its own, not inside another`);
			await client.query(scope.sql);
			current = scope;
			return work(db);
		},
	};
	return {
		db,
		end: () => {
			isOver = true;
		},
	};
}

async function run<R extends Row>(on: pg.Pool | pg.PoolClient, text: string, values: readonly unknown[]): Promise<R[]> {
	const name = statementName(text);
	const { rows } = await on.query<R>({ text, values: [...values], ...(name !== undefined && { name }) });
	return rows;
}

/** Runs `work` in a transaction with this scope: a new one, or the one under way when that has the same or none yet. */
export async function inScope<T>(db: Database, scope: Scope, work: (db: Database) => Promise<T>): Promise<T> {
	if (!(enter in db)) throw new Error("this handle was not made by openPool");
	return (db as Scoped)[enter](scope, work);
}

const unavailableCodes = new Set([
	"ECONNREFUSED", "ECONNRESET", "ENOENT", "ETIMEDOUT", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH",
	"57P01", "57P02", "57P03", "53300",
]);

/** Whether an error says that the database cannot be reached now, so that trying again may help. */
export function isUnavailable(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const code = "code" in error ? String(error.code) : "";
	if (unavailableCodes.has(code) || code.startsWith("08")) return true;
	return /Connection terminated|timeout exceeded when trying to connect|connection error and is not queryable/.test(error.message);
}

/** The name of the constraint an error reports as violated, or undefined when it reports none. */
export function violatedConstraint(error: unknown): string | undefined {
	if (!(error instanceof Error) || !("code" in error) || !String(error.code).startsWith("23")) return undefined;
	return "constraint" in error && typeof error.constraint === "string" ? error.constraint : undefined;
}
