import pg from "pg";

/** A whole statement, as the driver sends it. */
export type Statement = { text: string; values: unknown[]; name?: string };

/**
 * Sends a transaction's last statement and its commit as one message: the server answers both at once, and the
 * commit is passed over when the statement fails. Resolves with what the commit came to (`COMMIT`, or `ROLLBACK` where an earlier
 * statement had failed); rejects with the driver's error.
 */
export function commitWith(client: pg.PoolClient, statement: Statement): Promise<string | null> {
	return new Promise((resolve, reject) => {
		const query = new pg.Query(statement, (error, results) =>
			error ? reject(error) : resolve(commandOf(results)),
		);
		const submit = query.submit.bind(query);
		query.submit = (connection) => submit(committing(connection));
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
			if (isExecuted) {
				connection.parse({ text: "commit", name: "", types: [] }, true);
				connection.bind({}, true);
				connection.execute(null, true);
			}
			connection.sync();
		},
	};
	return Object.assign(Object.create(connection), overrides);
}
