import type pg from "pg";

export type Row = Record<string, unknown>;

/** The one handle a store function needs: a pool, or a transaction of it. */
export type Database = {
	/** Runs one whole statement, prepared once per connection. Throws the driver's error. */
	query<R extends Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
	/** Runs `work` in one transaction; inside a transaction it joins the one under way. */
	transaction<T>(work: (db: Database) => Promise<T>): Promise<T>;
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

/** The door to a scope; `openPool` and open transactions have it, and `inScope` alone uses it. */
export const enter = Symbol("enter");
export type Scoped = Database & {
	[enter]: <T>(scope: Scope, work: (db: Database) => Promise<T>) => Promise<T>;
};

/** Runs `work` in a transaction with this scope: a new one, or the one under way when that has the same or none yet. */
export async function inScope<T>(db: Database, scope: Scope, work: (db: Database) => Promise<T>): Promise<T> {
	if (!(enter in db)) throw new Error("this handle was not made by openPool");
	return (db as Scoped)[enter](scope, work);
}

type Transaction<T> = { scope: Scope | undefined; work: (db: Database) => Promise<T> };

/** Runs `work` between BEGIN and COMMIT on a lent connection; any error rolls everything back. */
export async function transact<T>(client: pg.PoolClient, { scope, work }: Transaction<T>): Promise<T> {
	const { db: tx, end } = within(client, scope);
	try {
		await client.query(scope === undefined ? "begin" : `begin; ${scope.sql}`);
		const result = await work(tx);
		end();
		// On a transaction that already failed, COMMIT is a rollback that reports success.
		const { command } = await client.query("commit");
		if (command !== "COMMIT")
			throw new Error("nothing was committed: a statement failed and its error was passed over");
		return result;
	} catch (error) {
		end();
		// When even this fails the connection is lost, and the server rolls back by itself.
		await client.query("rollback").catch((cause: Error) => client.emit("error", cause));
		throw error;
	}
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
			if (current !== undefined)
				throw new Error(`a transaction that sees ${current.name} cannot turn to ${scope.name}`);
			if (!scope.joins)
				throw new Error(`${scope.name} is seen by a transaction of its own, not inside another`);
			current = scope;
			await client.query(scope.sql);
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

/** Runs one whole statement on a lent connection. */
export async function run<R extends Row>(
	on: pg.PoolClient,
	text: string,
	values: readonly unknown[],
): Promise<R[]> {
	const name = statementName(text);
	const { rows } = await on.query<R>({ text, values: [...values], ...(name !== undefined && { name }) });
	return rows;
}
