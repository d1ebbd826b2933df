import { openPool } from "@lango/postgres";
import type { TestDatabase } from "./database.ts";

/** A text that must not be found, and what it is. */
export type Needle = { what: string; text: string };

/** The forms in which a text may be stored: as it is, as bytes in hex, and in base64 at any position. */
function formsOf(text: string): string[] {
	const bytes = Buffer.from(text);
	const inBase64 = [0, 1, 2].map((before) =>
		Buffer.concat([Buffer.alloc(before), bytes])
			.toString("base64")
			// The first and the last characters depend on the bytes around the text.
			.slice(before === 0 ? 0 : 4)
			.replace(/=*$/, "")
			.slice(0, -1),
	);
	return [text, JSON.stringify(text).slice(1, -1), bytes.toString("hex"), ...inBase64];
}

/**
 * Whether a text contains one of a needle's forms. Six digits are found only by themselves: they also occur
 * by chance in hex and in fractions of seconds.
 */
export function contains(haystack: string, { text }: Needle): boolean {
	if (/^\d{6}$/.test(text)) return new RegExp(`(?<![\\w.-])${text}(?![\\w-])`).test(haystack);
	return formsOf(text).some((form) => haystack.toLowerCase().includes(form.toLowerCase()));
}

/** Searches every column of every table. Returns `schema.table.column: what` of what was found. */
export async function findInDatabase(
	{ ownerUrl }: TestDatabase,
	needles: readonly Needle[],
): Promise<string[]> {
	const owner = openPool({ url: ownerUrl, name: "search", sizeMax: 1 });
	try {
		const tables = await owner.query<{ schema: string; name: string }>(
			`select table_schema as schema, table_name as name from information_schema.tables
			  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
		);
		const found = new Set<string>();
		for (const { schema, name } of tables) {
			const rows = await owner.query<{ row: Record<string, unknown> }>(
				`select to_jsonb(t) as row from "${schema}"."${name}" t`,
			);
			const columns = rows.flatMap(({ row }) => Object.entries(row));
			for (const [column, values] of Map.groupBy(columns, ([column]) => column)) {
				const text = values.map(([, value]) => JSON.stringify(value)).join("\n");
				for (const needle of needles)
					if (contains(text, needle)) found.add(`${schema}.${name}.${column}: ${needle.what}`);
			}
		}
		return [...found].toSorted();
	} finally {
		await owner.close();
	}
}
