import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MigrationSet, migrate } from "@lango/postgres";

/**
 * Applies the migrations, except those of one set from `file` on: so a test can insert what existed before
 * that migration.
 */
export async function migrateBefore(
	url: string,
	sets: readonly MigrationSet[],
	{ set: name, file }: { set: string; file: string },
): Promise<void> {
	const set = sets.find((one) => one.name === name);
	if (set === undefined) throw new Error(`no migrations are named ${name}`);
	const folder = await mkdtemp(join(tmpdir(), `${name}-migrations-`));
	try {
		await cp(set.folder, folder, { recursive: true });
		const migrations = join(folder, "migrations");
		const files = await readdir(migrations);
		if (!files.includes(file)) throw new Error(`${name} has no migration ${file}`);
		for (const later of files.filter((one) => one >= file)) await rm(join(migrations, later));
		await migrate(
			url,
			sets.map((one) => (one === set ? { name, folder } : one)),
		);
	} finally {
		await rm(folder, { recursive: true });
	}
}
