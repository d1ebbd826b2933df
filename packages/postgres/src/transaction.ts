import { currentRequestContext, inSpan, type SpanOptions } from "@lango/tracing";
import { SpanKind } from "@opentelemetry/api";
import type pg from "pg";
import { commitWith, type Statement } from "./last-statement.ts";

export type Row = Record<string, unknown>;

/** The one handle a store function needs: a pool, or a transaction of it. */
export type Database = {
	/** Runs one whole statement, prepared once per connection. Throws the driver's error. */
	query<R extends Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
	/**
	 * Has a statement run without waiting for its answer: inside a transaction it is awaited with the commit, which its
	 * failure prevents, and goes out with what follows, be it the commit. Outside of one it is awaited here.
	 */
	queryBeforeCommit(text: string, values?: readonly unknown[]): Promise<void>;
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

/**
 * Runs `work` between BEGIN and COMMIT on a lent connection; any error rolls everything back. What need not be waited for
 * is not: the first statement goes out behind BEGIN, COMMIT behind the last one.
 */
export async function transact<T>(client: pg.PoolClient, { scope, work }: Transaction<T>): Promise<T> {
	const begun = client.query(scope === undefined ? "begin" : `begin; ${scope.sql}`);
	const { db: tx, sent, settled, end } = within(client, scope);
	const failures: unknown[] = [];
	begun.catch((error: unknown) => failures.unshift(error));
	try {
		const result = await work(tx);
		const held = end();
		await sent();
		const last = settled();
		const commit =
			held === undefined
				? traced(client, "commit", () => client.query("commit").then(({ command }) => command))
				: traced(client, held.text, () => commitWith(client, held));
		await Promise.allSettled([begun, last, commit]);
		await begun;
		await last;
		// On a transaction that already failed, COMMIT is a rollback that reports success.
		if ((await commit) !== "COMMIT")
			throw new Error("nothing was committed: a statement failed and its error was passed over");
		return result;
	} catch (error) {
		end();
		// What failed first says why; what came after it was refused because of that.
		const first = await settled().then(
			() => failures[0] ?? error,
			(earlier: unknown) => failures[0] ?? earlier,
		);
		// When even this fails the connection is lost, and the server rolls back by itself.
		await client.query("rollback").catch((cause: Error) => client.emit("error", cause));
		throw first;
	}
}

/** The handle of one open transaction; once it ended, a statement that comes late is refused, not run outside it. */
function within(client: pg.PoolClient, begunAs: Scope | undefined) {
	let current = begunAs;
	let isOver = false;
	/** Statements go one after the other: of two that were sent at once, both would prepare what they share. */
	let turn: Promise<unknown> = Promise.resolve();
	let lastSent: Promise<unknown> = turn;
	let unawaited: Promise<void> = Promise.resolve();
	/** What nobody waits for goes out with what follows: the next statement, or the commit. */
	let held: Statement | undefined;
	const assertOpen = () => {
		if (isOver) throw new Error("this transaction is over: a statement was not awaited inside it");
	};
	const inTurn = <R>(send: () => Promise<R>): Promise<R> => {
		release();
		return afterOthers(send);
	};
	const afterOthers = <R>(send: () => Promise<R>): Promise<R> => {
		const sent = turn.then(() => ({ answer: send() }));
		const answered = sent.then(({ answer }) => answer);
		lastSent = sent;
		turn = answered.catch(() => undefined);
		return answered;
	};
	const release = () => {
		if (held === undefined) return;
		const statement = held;
		held = undefined;
		const sent = afterOthers(() => traced(client, statement.text, () => client.query(statement)));
		unawaited = Promise.all([unawaited, sent]).then(() => undefined);
		unawaited.catch(() => undefined); // It is looked at before the commit.
	};
	const db: Scoped = {
		query: async (text, values = []) => {
			assertOpen();
			return inTurn(() => run(client, text, values));
		},
		queryBeforeCommit: async (text, values = []) => {
			assertOpen();
			release();
			held = statementOf(text, values);
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
			await inTurn(() => client.query(scope.sql));
			return work(db);
		},
	};
	return {
		db,
		/** Resolves when every statement is on its way. */
		sent: () => lastSent,
		/** Rejects with the first failure of what nobody has awaited. */
		settled: () => unawaited,
		/** No statement comes any more; returns the one that was held back. */
		end: () => {
			isOver = true;
			return held;
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
	const { rows } = await traced(on, text, () => on.query<R>(statementOf(text, values)));
	return rows;
}

/** Sends a statement in a span of its own; where nothing is recorded that costs one question. */
function traced<T>(on: pg.PoolClient, text: string, send: () => Promise<T>): Promise<T> {
	return currentRequestContext()?.span === undefined ? send() : inSpan(spanOf(on, text), send);
}

/** By the conventions of OpenTelemetry for databases. A statement is a constant of the code, so it holds nobody's data. */
function spanOf({ database }: pg.PoolClient, text: string): SpanOptions {
	const operation = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? "query";
	const attributes = () => ({
		"db.system.name": "postgresql",
		"db.operation.name": operation,
		"db.query.text": text.replaceAll(/\s+/g, " ").trim(),
		...(database !== undefined && { "db.namespace": database }),
	});
	return { name: operation, kind: SpanKind.CLIENT, attributes };
}

function statementOf(text: string, values: readonly unknown[]): Statement {
	const name = statementName(text);
	return { text, values: [...values], ...(name !== undefined && { name }) };
}
