import { join } from "node:path";
import type { MigrationSet } from "@lango/postgres";

/**
 * Permissions, roles, assignments, users, API keys and the audit log. They refer to the tables of
 * `tenancyMigrations`.
 */
export const accessMigrations: MigrationSet = {
	name: "access",
	folder: join(import.meta.dirname, "../database"),
};
