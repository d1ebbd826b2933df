import { currentRequestContext, inSpan, type SpanOptions } from "@lango/tracing";
import { SpanKind } from "@opentelemetry/api";
import type pg from "pg";
import { deferSignals, type Signals } from "./background/signals.ts";
import { commitWith, type Statement } from "./last-statement.ts";

export type Row = Record<string, unknown>;

/** The database handle of store functions: a pool, or a transaction of it. */
export type Database = Signals & {
	/** Runs one statement, prepared once per connection. Throws the driver's error. */
	query<R extends Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
	/**
	 * Queues a statement that is sent together with the next one or the commit, without a round trip of its
	 * own. If it fails, the commit fails. Outside of a transaction it is awaited immediately.
	 */
	queryBeforeCommit(text: string, values?: readonly unknown[]): Promise<void>;
	/** Runs `work` in one transaction. Inside a transaction it joins the open one. */
	transaction<T>(work: (db: Database) => Promise<T>): Promise<T>;
};

/** The rows that a transaction can access. Once set, a scope lasts until the transaction ends. */
export type Scope = {
	/** The name of the scope in errors. */
	name: string;
	/** The tenant whose rows it has; undefined: those of all tenants. */
	tenantId?: string;
	/** The statement that sets the scope, local to the transaction. */
	sql: string;
	/** Whether an open transaction can get this scope, or only a new one. */
	joins: boolean;
};

/** The key of the method that sets a scope. Only `inScope` uses it. */
export const enter = Symbol("enter");
/** The key of the method that returns the scope of a transaction. Only `scopeOf` uses it. */
const current = Symbol("current");
export type Scoped = Database & {
	[enter]: <T>(scope: Scope, work: (db: Database) => Promise<T>) => Promise<T>;
	[current]?: () => Scope | undefined;
};

/** Returns the scope of an open transaction; undefined if it has none, or the handle is a pool. */
export const scopeOf = (db: Database): Scope | undefined => (db as Scoped)[current]?.();

/**
 * Runs `work` in a transaction with this scope: a new one, or the open one if it has the same scope or none.
 */
export async function inScope<T>(db: Database, scope: Scope, work: (db: Database) => Promise<T>): Promise<T> {
	if (!(enter in db)) throw new Error("this handle was not created by openPool");
	return (db as Scoped)[enter](scope, work);
}

type Transaction<T> = {
	scope: Scope | undefined;
	signals: Signals;
	work: (db: Database) => Promise<T>;
};

/**
 * Runs `work` between BEGIN and COMMIT on a borrowed connection; any error rolls back. The first statement is
 * sent without waiting for BEGIN, and COMMIT together with the last statement.
 */
export async function transact<T>(
	client: pg.PoolClient,
	{ scope, signals, work }: Transaction<T>,
): Promise<T> {
	const begun = client.query(scope === undefined ? "begin" : `begin; ${scope.sql}`);
	const { sendSignals, ...deferred } = deferSignals(signals);
	const { db: tx, sent, settled, end } = within(client, { begunAs: scope, signals: deferred });
	const failures: unknown[] = [];
	begun.catch((error: unknown) => failures.unshift(error));
	try {
		const result = await work(tx);
		const queued = end();
		await sent();
		const last = settled();
		const commit =
			queued === undefined
				? traced(client, "commit", () => client.query("commit").then(({ command }) => command))
				: traced(client, queued.text, () => commitWith(client, queued));
		await Promise.allSettled([begun, last, commit]);
		await begun;
		await last;
		// In a failed transaction, COMMIT rolls back and reports success.
		if ((await commit) !== "COMMIT")
			throw new Error("the transaction was rolled back: a statement failed and its error was ignored");
		sendSignals();
		return result;
	} catch (error) {
		end();
		// The first failure is the cause; later statements were refused because of it.
		const first = await settled().then(
			() => failures[0] ?? error,
			(earlier: unknown) => failures[0] ?? earlier,
		);
		// If the rollback fails, the connection is lost, and the server rolls back by itself.
		await client.query("rollback").catch((cause: Error) => client.emit("error", cause));
		throw first;
	}
}

/** The handle of an open transaction. A statement after the end of the transaction is refused. */
function within(
	client: pg.PoolClient,
	{ begunAs, signals }: { begunAs: Scope | undefined; signals: Signals },
) {
	let scopeNow = begunAs;
	let isOver = false;
	/** Statements run in sequence: two concurrent ones would both prepare the same statement. */
	let previous: Promise<unknown> = Promise.resolve();
	let lastSent: Promise<unknown> = previous;
	let unawaited: Promise<void> = Promise.resolve();
	/** The queued statement, which is sent with the next one or the commit. */
	let queued: Statement | undefined;
	const assertOpen = () => {
		if (isOver) throw new Error("this transaction is over: a statement was not awaited inside it");
	};
	const sendNext = <R>(send: () => Promise<R>): Promise<R> => {
		sendQueued();
		return afterPrevious(send);
	};
	const afterPrevious = <R>(send: () => Promise<R>): Promise<R> => {
		const sent = previous.then(() => ({ answer: send() }));
		const answered = sent.then(({ answer }) => answer);
		lastSent = sent;
		previous = answered.catch(() => undefined);
		return answered;
	};
	const sendQueued = () => {
		if (queued === undefined) return;
		const statement = queued;
		queued = undefined;
		const sent = afterPrevious(() => traced(client, statement.text, () => client.query(statement)));
		unawaited = Promise.all([unawaited, sent]).then(() => undefined);
		unawaited.catch(() => undefined); // It is checked before the commit.
	};
	const db: Scoped = {
		query: async (text, values = []) => {
			assertOpen();
			return sendNext(() => run(client, text, values));
		},
		queryBeforeCommit: async (text, values = []) => {
			assertOpen();
			sendQueued();
			queued = statementOf(text, values);
		},
		transaction: (work) => work(db),
		...signals,
		[current]: () => scopeNow,
		[enter]: async (scope, work) => {
			assertOpen();
			if (scopeNow?.name === scope.name) return work(db);
			if (scopeNow !== undefined)
				throw new Error(`the transaction has the scope ${scopeNow.name} and cannot change to ${scope.name}`);
			if (!scope.joins) throw new Error(`the scope ${scope.name} needs a transaction of its own`);
			scopeNow = scope;
			await sendNext(() => client.query(scope.sql));
			return work(db);
		},
	};
	return {
		db,
		/** Resolves when every statement has been sent. */
		sent: () => lastSent,
		/** Rejects with the first failure of a queued statement. */
		settled: () => unawaited,
		/** Ends the handle and returns the queued statement. */
		end: () => {
			isOver = true;
			return queued;
		},
	};
}

const namesMax = 2_000;
const names = new Map<string, string>();

/** Statements are constants of the code, so each has a name and is prepared once per connection. */
function statementName(text: string): string | undefined {
	const known = names.get(text);
	if (known !== undefined || names.size >= namesMax) return known;
	const name = `s${names.size}`;
	names.set(text, name);
	return name;
}

/** Runs one statement on a borrowed connection. */
export async function run<R extends Row>(
	on: pg.PoolClient,
	text: string,
	values: readonly unknown[],
): Promise<R[]> {
	const { rows } = await traced(on, text, () => on.query<R>(statementOf(text, values)));
	return rows;
}

/** Sends a statement in a span of its own, if the current work is recorded. */
function traced<T>(on: pg.PoolClient, text: string, send: () => Promise<T>): Promise<T> {
	return currentRequestContext()?.span === undefined ? send() : inSpan(spanOf(on, text), send);
}

/**
 * Attributes of OpenTelemetry's database conventions. A statement is a constant of the code, so it contains
 * no personal data.
 */
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
