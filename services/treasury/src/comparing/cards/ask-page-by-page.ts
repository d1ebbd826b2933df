import { gatewayFailures } from "../../gateways/calls/failures.ts";

const perPage = 100;

type Asking<Row> = {
	/** Lists what is asked about, by id, after an id. */
	list: (page: { after: string | undefined; limit: number }) => Promise<Row[]>;
	/** Asks about one of them. Returns whether the gateway answered. */
	ask: (row: Row) => Promise<boolean>;
};

/**
 * Asks the gateway about each row, page by page, and once more about those of a page without an answer.
 * Throws `gateway_unavailable` if it does not answer about one: after the last page, or at once if it answers
 * about none of a page.
 */
export async function askPageByPage<Row extends { id: string }>({ list, ask }: Asking<Row>): Promise<void> {
	let isWhole = true;
	for (let after: string | undefined; ; ) {
		const page = await list({ after, limit: perPage });
		const silent = await askAll(await askAll(page, ask), ask);
		if (silent.length > 0 && silent.length === page.length) throw gatewayFailures.gateway_unavailable();
		if (silent.length > 0) isWhole = false;
		if (page.length < perPage) break;
		after = page.at(-1)?.id;
	}
	if (!isWhole) throw gatewayFailures.gateway_unavailable();
}

/** Returns those about which the gateway did not answer. */
async function askAll<Row>(rows: readonly Row[], ask: Asking<Row>["ask"]): Promise<Row[]> {
	const silent: Row[] = [];
	for (const row of rows) if (!(await ask(row))) silent.push(row);
	return silent;
}
