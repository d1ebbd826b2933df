import type { Database } from "@lango/postgres";

type Place = { isPlatform: boolean; path: string; now: Date };

/**
 * Publishes a copy of a published version. Returns its number; undefined if the version was not found. Call
 * it inside the tenant.
 */
export async function rollTemplateBack(
	tx: Database,
	{ isPlatform, path, version, by, now }: Place & { version: number; by: string },
): Promise<number | undefined> {
	const [row] = await tx.query<{ version: number | null }>(
		"select roll_template_back($1, $2, $3, $4, $5) as version",
		[isPlatform, path, version, by, now],
	);
	return row?.version ?? undefined;
}

/**
 * Ends an override, or withdraws a template of the tenant's own, and deletes its draft. Returns whether there
 * is one. Call it inside the tenant.
 */
export async function endOverride(tx: Database, { isPlatform, path, now }: Place): Promise<boolean> {
	const [row] = await tx.query<{ found: boolean }>("select end_template_override($1, $2, $3) as found", [
		...[isPlatform, path, now],
	]);
	return row?.found ?? false;
}
