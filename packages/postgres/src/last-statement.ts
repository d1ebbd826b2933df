import pg from "pg";

/** A whole statement, as the driver sends it. */
export type Statement = { text: string; values: unknown[]; name?: string };

/** What the commit is called on every connection: like other statements it is taken apart once. */
const commitName = "commit";
/** The connections whose server knows it. */
const knowing = new WeakSet<pg.Connection>();

/**
 * Sends a transaction's last statement and its commit as one message: the server answers both at once, and the
 * commit is passed over when the statement fails. Resolves with what the commit came to (`COMMIT`, or `ROLLBACK` where an earlier
 * statement had failed); rejects with the driver's error.
 */
export function commitWith(client: pg.PoolClient, statement: Statement): Promise<string | null> {
	return new Promise((resolve, reject) => {
		let onWhich: pg.Connection | undefined;
		const query = new pg.Query(statement, (error, results) => {
			if (error) return reject(error);
			if (onWhich !== undefined) knowing.add(onWhich);
			resolve(commandOf(results));
		});
		const submit = query.submit.bind(query);
		query.submit = (connection) => {
			onWhich = connection;
			return submit(committing(connection));
		};
		client.query(query);
	});
}

/** One result for each of the two, although the driver's types know of one. */
function commandOf(results: unknown): string | null {
	const last = Array.isArray(results) ? results.at(-1) : results;
	return (last as pg.QueryResult).command;
}

/** The connection, but with the commit before the end of the message; not where nothing was executed. */
function committing(connection: pg.Connection): pg.Connection {
	let isExecuted = false;
	const overrides: Partial<pg.Connection> = {
		execute(config, more) {
			isExecuted = true;
			connection.execute(config, more);
		},
		sync() {
			if (isExecuted) sendCommit(connection);
			connection.sync();
		},
	};
	return Object.assign(Object.create(connection), overrides);
}

function sendCommit(connection: pg.Connection): void {
	if (!knowing.has(connection)) {
		// A message that failed may have left it there or not; closing what is not there is no error.
		connection.close({ type: "S", name: commitName }, true);
		connection.parse({ text: "commit", name: commitName, types: [] }, true);
	}
	connection.bind({ statement: commitName }, true);
	connection.execute(null, true);
}
