import { totalMax } from "@lango/contracts/total";
import type { Database } from "@lango/postgres";

/** From the first row, and one more than is counted. */
const allRows = { after: undefined, limit: totalMax + 1 };

/**
 * Counts the rows of a list if its caller asked for the total. `list` reads it with one statement, which is
 * counted instead: so the total has the same filters and the same isolation as the pages.
 */
export async function totalOf(
	tx: Database,
	isAsked: boolean | undefined,
	list: (tx: Database, all: typeof allRows) => Promise<unknown>,
): Promise<{ total?: number }> {
	if (isAsked !== true) return {};
	const counts: number[] = [];
	const counting: Database = {
		...tx,
		query: async (text, values) => {
			const rows = await tx.query<{ count: number }>(
				`select count(*)::int as count from (${text}) as counted`,
				values,
			);
			counts.push(...rows.map(({ count }) => count));
			return [];
		},
		transaction: (work) => work(counting),
	};
	await list(counting, allRows);
	const [total, another] = counts;
	if (total === undefined || another !== undefined)
		throw new Error(`a list to count has one statement, not ${counts.length}`);
	return { total: Math.min(total, totalMax + 1) };
}
