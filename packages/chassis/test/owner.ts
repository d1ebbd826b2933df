import { openPool } from "@lango/postgres";

/** Runs a statement as the owner of the tables, as an operator of the database does. */
export async function asOwner(url: string, statement: string): Promise<void> {
	const db = openPool({ url, name: "owner", sizeMax: 1 });
	try {
		await db.query(statement);
	} finally {
		await db.close();
	}
}
