import { join } from "node:path";
import type { MigrationSet } from "@lango/postgres";

/** pg-boss's tables and the services' rights in them, made in the database of every service that declares jobs. */
export const jobMigrations: MigrationSet = {
	name: "jobs",
	folder: join(import.meta.dirname, "..", "database"),
};
